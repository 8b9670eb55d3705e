"""Settings described once: name, default, what it means, what it may be, and who takes it.

The dataclasses whose fields are made by `option` are the one table of settings. The estimator's signature and
documentation, the options of the command line, the "to repeat" of a summary and the fingerprint of a checkpoint are
all read from it. Nothing here imports NumPy, so that `isingmap --help` stays quick.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from numbers import Real
from os import PathLike
from typing import Any, Literal

from isingmap.errors import ModelError

Kind = Literal["choice", "number", "whole", "text", "path", "edges", "names", "labels", "seed", "switch"]


@dataclass(frozen=True)
class Option:
    """One setting.

    Attributes
    ----------
    name : str
    default : object
    help : str
        What it does; names of other settings are written as in Python, `name=value`.
    kind : str
        "choice" of `choices`; "number"; "whole" number; "seed"; "switch"; the rest is free.
    choices : tuple of str
    least, most : float
        Bounds of a number.
    python : str
        Its name in `PlanarIsing`; empty: not there.
    flag : str
        Its name on the command line; empty: not there.
    metavar : str
        What stands for its value in the help of the command line.
    commands : tuple of str
        Commands that take it; empty: all that learn.
    searches : tuple of str
        Searches that use it; empty: all.
    steers : tuple of str
        Searches whose graph it has a say in; empty: all. Beside others it is warned of.
    shapes_result : bool
        Whether the result depends on it, so that a checkpoint belongs to its value.
    """

    name: str
    default: Any
    help: str
    kind: Kind
    choices: tuple[str, ...] = ()
    least: float = -math.inf
    most: float = math.inf
    python: str = ""
    flag: str = ""
    metavar: str = ""
    commands: tuple[str, ...] = ()
    searches: tuple[str, ...] = ()
    steers: tuple[str, ...] = ()
    shapes_result: bool = True

    def check(self, value: object, called: str = "") -> None:
        """Refuse a value that the setting cannot have; `called` is its name where it is asked for, if another.

        Raises
        ------
        ModelError
            Naming the setting, what it may be and what was given.
        """
        if not (value is None and self.default is None) and not self._fits(value):
            raise ModelError(f"{called or self.name} must be {self._wanted}, got {value!r}")

    def _fits(self, value: Any) -> bool:
        if self.kind == "choice":
            return isinstance(value, str) and value in self.choices
        if self.kind in ("number", "whole"):
            number = _as_number(value)
            return self.least <= number <= self.most and (self.kind == "number" or number == int(number))
        if self.kind == "seed":
            return _is_seed(value)
        if self.kind == "switch":
            return value in (True, False)
        return self.kind != "path" or (isinstance(value, (str, PathLike)) and str(value) != "")

    @property
    def _wanted(self) -> str:
        """What it may be, in words."""
        if self.kind == "choice":
            return f"one of {', '.join(self.choices)}"
        if self.kind == "seed":
            return "a whole number of 0 or more, or a NumPy generator"
        if self.kind == "path":
            return "the path of a file"
        if self.kind == "switch":
            return "True or False"
        number = "a whole number" if self.kind == "whole" else "a number"
        if math.isfinite(self.most):
            return f"{number} from {self.least:g} to {self.most:g}"
        return f"{number} of {self.least:g} or more" if math.isfinite(self.least) else number


def _as_number(value: Any) -> float:
    """A finite number, or NaN; truth values and texts are none."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return math.nan
    try:
        number = float(value)
    except OverflowError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def _is_seed(value: Any) -> bool:
    if hasattr(value, "bit_generator"):
        return True
    try:
        return operator.index(value) >= 0 and not isinstance(value, bool)
    except TypeError:
        return False


def option(default: Any, text: str, kind: Kind, **details: Any) -> Any:
    """A dataclass field that is a setting; `details` are attributes of `Option`."""
    return field(default=default, metadata={"option": {"help": text, "kind": kind, **details}})


def options_of(table: Any) -> Iterator[Option]:
    """The settings among the fields of a dataclass, in order."""
    for entry in fields(table):
        if "option" in entry.metadata:
            details = {"python": entry.name, "flag": f"--{entry.name.replace('_', '-')}", **entry.metadata["option"]}
            yield Option(entry.name, entry.default, **details)


def check_options(settings: Any) -> None:
    """Check every setting of a dataclass instance.

    Raises
    ------
    ModelError
        Naming the setting, what it may be and what was given.
    """
    for setting in options_of(settings):
        setting.check(getattr(settings, setting.name))


def check_given(what: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse names that are no settings.

    Raises
    ------
    TypeError
        With those that are.
    """
    known = list(known)
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise TypeError(f"{what} has no setting {', '.join(unknown)}; it has {', '.join(known)}")


def given(settings: Any) -> dict[str, Any]:
    """The settings of an instance that differ from their defaults."""
    values = {setting: getattr(settings, setting.name) for setting in options_of(settings)}
    return {
        setting.name: value
        for setting, value in values.items()
        if (value is not None if setting.default is None else value != setting.default)
    }


def jobs(what: str, **details: Any) -> Any:
    """The field of a setting that says how many processes there are; `what` they have side by side."""
    return option(
        None,
        f"{what} on so many processes, -1: as many as there are processors; in Python joblib.parallel_config may say "
        "where else, such as on threads or a Dask cluster. The results are the same in any case. By default 1",
        "whole",
        least=-1,
        metavar="N",
        shapes_result=False,
        **details,
    )


def check_jobs(n_jobs: int | None) -> None:
    """Refuse no process at all.

    Raises
    ------
    ModelError
        Saying what it may be.
    """
    if n_jobs == 0:
        raise ModelError("n_jobs must be 1 or more, or -1 for as many as there are processors, got 0")
