"""Settings described once: name, default, what it means, what it may be, and who takes it.

The dataclasses whose fields are made by `option` are the one table of settings. The estimator's signature and
documentation, the options of the command line, the "to repeat" of a summary and the fingerprint of a checkpoint are
all read from it. Nothing here imports NumPy, so that `isingmap --help` stays quick.
"""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from isingmap.errors import ModelError

Kind = Literal["choice", "number", "whole", "text", "path", "edges", "labels", "seed", "switch"]


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
    shapes_result: bool = True

    def check(self, value: object) -> None:
        """Refuse a value that the setting cannot have.

        Raises
        ------
        ModelError
            Naming the setting, what it may be and what was given.
        """
        if value is None and self.default is None:
            return
        if self.kind == "choice" and not (isinstance(value, str) and value in self.choices):
            raise ModelError(f"{self.name} must be one of {', '.join(self.choices)}; got {value!r}")
        if self.kind in ("number", "whole"):
            self._check_number(value)
        if self.kind == "switch" and not isinstance(value, bool):
            raise ModelError(f"{self.name} must be True or False; got {value!r}")
        if self.kind == "seed" and not (_is_seed(value) or hasattr(value, "bit_generator")):
            raise ModelError(f"{self.name} must be a whole number of 0 or more, or a NumPy generator; got {value!r}")

    def _check_number(self, value: Any) -> None:
        is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
        number = float(value) if is_number else math.nan
        whole = self.kind == "whole"
        if not (self.least <= number <= self.most and math.isfinite(number)) or (whole and number != int(number)):
            raise ModelError(f"{self.name} must be a {'whole ' * whole}number{self._bounds}, got {value!r}")

    @property
    def _bounds(self) -> str:
        if math.isfinite(self.most):
            return f" from {self.least:g} to {self.most:g}"
        return f" of {self.least:g} or more" if math.isfinite(self.least) else ""


def _is_seed(value: object) -> bool:
    try:
        return operator.index(value) >= 0  # type: ignore[arg-type]
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


def given(settings: Any) -> dict[str, Any]:
    """The settings of an instance that differ from their defaults."""
    values = {setting: getattr(settings, setting.name) for setting in options_of(settings)}
    return {
        setting.name: value
        for setting, value in values.items()
        if (value is not None if setting.default is None else value != setting.default)
    }
