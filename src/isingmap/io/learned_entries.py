"""What a model.json says of how it was learned: entries beside the model, left out where they are damaged."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from isingmap.data.table import listed
from isingmap.errors import ModelError
from isingmap.option import Option
from isingmap.structure.options import MOMENT_SETTINGS, OPTIONS

_OPTIONS_BY_NAME = {option.name: option for option in OPTIONS}

# Entries without which a table cannot be read as that of the fit was.
FIT, LABELS = '"fit"', '"labels" of "fit"'


def sound_entries(record: Mapping[str, Any], names: Sequence[str]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The entries of a record without those that are damaged, and what these are called.

    Parameters
    ----------
    record : mapping
        The entries of a model.json that are not the model: "fit", "facts", "positions" and what others have added.
    names : sequence of str
        Of the variables.
    """
    kept, damaged = dict(record), []
    for key, is_sound in _CHECKS.items():
        if key in kept and not is_sound(kept[key], names):
            del kept[key]
            damaged.append(f'"{key}"')
    if "fit" in kept:
        bad = [key for key, is_sound in _CHECKS_OF_FIT.items() if not is_sound(kept["fit"].get(key), names)]
        kept["fit"] = {key: value for key, value in kept["fit"].items() if key not in bad}
        damaged += [LABELS if key == "labels" else f'"{key}" of "fit"' for key in bad]
    return kept, tuple(damaged)


def about_damaged(damaged: Sequence[str]) -> tuple[str, ...]:
    """A sentence that names the entries that are damaged, if there are any."""
    if not damaged:
        return ()
    what = f"{len(damaged)} {'entry is' if len(damaged) == 1 else 'entries are'} damaged and ignored"
    return (f"Beside the model, which is whole, {what}: {listed(list(damaged))}.",)


def _are_pairs_of_labels(value: object, names: Sequence[str]) -> bool:
    """Two different texts for each variable; none where no rows were read."""
    return value in (None, []) or (
        isinstance(value, list)
        and len(value) == len(names)
        and all(isinstance(pair, list) and _are_texts(pair, ("", "")) and pair[0] != pair[1] for pair in value)
    )


def _are_texts(value: object, names: Sequence[str]) -> bool:
    """As many texts as names, or nothing."""
    return value is None or (
        isinstance(value, list) and len(value) == len(names) and all(isinstance(text, str) for text in value)
    )


def _is_list_of_texts(value: object, names: Sequence[str]) -> bool:
    return value is None or (isinstance(value, list) and all(isinstance(text, str) for text in value))


def _is_text(value: object, names: Sequence[str]) -> bool:
    return value is None or isinstance(value, str)


def _is_number(value: object, names: Sequence[str] = ()) -> bool:
    return value is None or (type(value) in (int, float) and math.isfinite(value))  # type: ignore[arg-type]


def _are_positions(value: object, names: Sequence[str]) -> bool:
    """Two numbers for each variable, and perhaps for others."""
    return (
        isinstance(value, dict)
        and set(names) <= value.keys()
        and all(isinstance(place, list) and len(place) == 2 and None not in place for place in value.values())
        and all(_is_number(number) for place in value.values() for number in place)
    )


def _are_moment_settings(value: object, names: Sequence[str]) -> bool:
    """Settings that exist, with values that they can have; None stands for the default."""
    if value is None:
        return True
    return isinstance(value, dict) and all(
        name in MOMENT_SETTINGS and (given is None or _is_value(_OPTIONS_BY_NAME[name], given))
        for name, given in value.items()
    )


def _is_value(setting: Option, given: object) -> bool:
    try:
        setting.check(given, setting.name)
    except ModelError:
        return False
    return True


_CHECKS: dict[str, Callable[[Any, Sequence[str]], bool]] = {
    "fit": lambda value, names: isinstance(value, dict),
    "facts": lambda value, names: isinstance(value, list) and all(isinstance(fact, dict) for fact in value),
    "positions": _are_positions,
}
_CHECKS_OF_FIT: dict[str, Callable[[Any, Sequence[str]], bool]] = {
    "title": _is_text,
    "command": _is_text,
    "settings": _is_text,
    "moments": _are_moment_settings,
    "stopped": _is_text,
    "n_samples": _is_number,
    "log_likelihood": _is_number,
    "labels": _are_pairs_of_labels,
    "groups": _are_texts,
    "notes": _is_list_of_texts,
    "warnings": _is_list_of_texts,
}
