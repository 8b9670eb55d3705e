"""The option --beta: inverse temperatures as they are typed, and the table of what is found at each."""

from __future__ import annotations

import math
from argparse import ArgumentTypeError
from decimal import Decimal, InvalidOperation

MOST = 10_000
COLUMNS = (
    *("beta", "log_z", "log_z_per_spin", "energy", "energy_per_spin"),
    *("heat_capacity", "specific_heat", "entropy", "entropy_per_spin"),
)
# Printed: without log Z per spin, so that a line has at most 100 columns.
SHOWN = ("beta", "log_z", "energy", "energy_per_spin", "heat_capacity", "specific_heat", "entropy", "entropy_per_spin")
TITLES = ("beta", "log Z", "energy", "per spin", "heat cap.", "spec. heat", "entropy", "per spin")


def betas(text: str) -> list[float]:
    """`0.5,1,2` and ranges `start:stop:step` with their ends; in decimals, that add up to 0.3 and not 0.30000004."""
    values = [value for part in text.split(",") for value in _values(part)]
    if len(values) > MOST:
        raise ArgumentTypeError(f"{len(values)} inverse temperatures are too many; at most {MOST}")
    return [float(value) for value in values]


def _values(part: str) -> list[Decimal]:
    numbers = [_decimal(number, part) for number in part.split(":")]
    if len(numbers) == 1:
        return numbers
    if len(numbers) != 3:
        raise ArgumentTypeError(f"a range is start:stop:step, such as 0.1:2:0.1; got {part!r}")
    start, stop, step = numbers
    if step <= 0 or stop < start:
        raise ArgumentTypeError(f"a range goes up, with a step above 0, such as 0.1:2:0.1; got {part!r}")
    if stop - start >= MOST * step:
        raise ArgumentTypeError(f"{part!r} are too many inverse temperatures; at most {MOST}")
    return [start + k * step for k in range(int((stop - start) / step) + 1)]


def _decimal(number: str, part: str) -> Decimal:
    try:
        value = Decimal(number.strip())
    except InvalidOperation:
        raise ArgumentTypeError(
            f"expected numbers such as 0.5,1,2 or a range such as 0.1:2:0.1; got {part!r}"
        ) from None
    if not 0 <= float(value) < math.inf or (value and not float(value)):
        raise ArgumentTypeError(f"inverse temperatures are finite numbers, 0 or more; got {part!r}")
    return value


def rows(found) -> list[tuple[float, ...]]:
    """A row for each temperature of a `Thermodynamics`, in the order of `COLUMNS`."""
    columns = (
        *(found.beta, found.log_partition, found.log_partition_per_spin, found.energy, found.energy_per_spin),
        *(found.heat_capacity, found.specific_heat, found.entropy, found.entropy_per_spin),
    )
    return list(zip(*(column.tolist() for column in columns), strict=True))


def as_text(found) -> str:
    """The table for the screen; ends with a newline."""
    kept = [COLUMNS.index(name) for name in SHOWN]
    cells = [TITLES, *([f"{row[k]:.6g}" for k in kept] for row in rows(found))]
    return "".join("".join(f"{cell:>12}" for cell in line).rstrip() + "\n" for line in cells)
