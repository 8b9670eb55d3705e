"""The settings of `PlanarIsing`, read from their table: defaults, signature, documentation, records of options."""

from __future__ import annotations

import inspect
import operator
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from isingmap.errors import ModelError
from isingmap.option import Option, check_given, options_of
from isingmap.resampling.options import RESAMPLING
from isingmap.structure.options import OPTIONS, RESTARTED

# By the name that the estimator has for them; all but the last are those of the table.
SETTINGS: dict[str, Option] = {setting.python: setting for setting in OPTIONS if setting.python} | {
    "verbose": Option("verbose", False, "show a progress bar on stderr", "switch", shapes_result=False)
}
_KINDS = {
    "edges": "(k, 2) array of int or names",
    "names": "sequence of str",
    "labels": "label or {column: label}",
    "number": "float",
    "path": "path-like",
    "seed": "int or Generator",
    "switch": "bool",
    "whole": "int",
}


def checked_settings(given: dict[str, Any]) -> dict[str, Any]:
    """All settings: those given and the defaults of the others.

    Raises
    ------
    TypeError
        For a name that is no setting.
    """
    check_given("PlanarIsing", given, SETTINGS)
    return {name: given.get(name, setting.default) for name, setting in SETTINGS.items()}


def check_values(settings: dict[str, Any]) -> None:
    """Refuse values that settings cannot have, before any work; None stands for the default.

    Raises
    ------
    ModelError
        Naming the setting, what it may be and what was given.
    """
    for name, setting in SETTINGS.items():
        setting.check(setting.default if settings[name] is None else settings[name], name)


def options_from(settings: dict[str, Any], table: type) -> dict[str, Any]:
    """The arguments of one of the dataclasses of the table; None stands for the default."""
    values = {option: settings[option.python] for option in options_of(table) if option.python}
    return {option.name: option.default if value is None else value for option, value in values.items()}


def starts_again(settings: Mapping[str, Any]) -> bool:
    """Whether the search starts again from perturbed graphs: else there is nothing for a seed and for workers."""
    return settings["graph"] is None and settings["search"] in RESTARTED


def seed_of(settings: Mapping[str, Any], what: str) -> int:
    """The random state as a number, by which each of what is drawn, such as "resamples", can be drawn again.

    Raises
    ------
    ModelError
        For a generator.
    """
    given = settings["random_state"]
    if isinstance(given, np.random.Generator):
        raise ModelError(
            f"{what} are numbered, and each can be drawn again: that takes random_state=0, or another whole number, "
            "and no generator"
        )
    return operator.index(SETTINGS["random_state"].default if given is None else given)


def with_settings(cls: type) -> type:
    """A class decorator that shows the settings: in the signature, and in place of `{settings}` in the docstring."""
    shown = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=setting.default)
        for name, setting in SETTINGS.items()
    ]
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    cls.__init__.__signature__ = inspect.Signature([own, *shown])  # type: ignore[misc]
    described = "\n    ".join(_described(name, setting) for name, setting in SETTINGS.items())
    cls.__doc__ = (cls.__doc__ or "").replace("{settings}", described)  # no docstrings under python -OO
    return cls


def with_resampling(method: Callable) -> Callable:
    """A decorator that shows the settings of resampling in place of `{resampling}` in the docstring."""
    described = "\n".join(_described(setting.name, setting) for setting in RESAMPLING)
    method.__doc__ = (method.__doc__ or "").replace("{resampling}", textwrap.indent(described, " " * 8).lstrip())
    return method


def _described(name: str, setting: Option) -> str:
    """The entry of a setting in a numpydoc list of parameters."""
    choices = ", ".join(f'"{choice}"' for choice in setting.choices)
    kind = f"{{{choices}}}" if choices else _KINDS[setting.kind]
    default = "optional" if setting.default is None else f"default {setting.default!r}"
    text = f"{setting.help[0].upper()}{setting.help[1:]}."
    return f"{name} : {kind}, {default}\n" + textwrap.indent(textwrap.fill(text, 108), " " * 8)
