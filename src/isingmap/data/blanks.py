"""White space around names and labels belongs to neither; that it was there is said, and nothing becomes one unseen."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from isingmap.data.table import counted, differ_in_blanks, listed
from isingmap.errors import DataError, DataWarning
from isingmap.warned import warn


def without_blanks(names: Sequence[Any], where: str = "", noun: str = "column") -> list[Any]:
    """Names without the white space at their ends; what is no text stays as it is.

    Parameters
    ----------
    names : sequence
    where : str
        In front of messages, such as the name of a file and a colon.
    noun : str
        What has the names.

    Raises
    ------
    DataError
        If two names differ in nothing else.

    Warns
    -----
    DataWarning
        With the names that had white space at their ends.
    """
    bare = [name.strip() if isinstance(name, str) else name for name in names]
    padded = [name for name, kept in zip(names, bare, strict=True) if isinstance(name, str) and name != kept and kept]
    if not padded:
        return bare
    alike = differ_in_blanks([name for name in names if isinstance(name, str) and name.strip()])
    if alike:
        raise DataError(
            f"{where}names of {noun}s that differ only in the blanks around them: {listed(alike)}. Blanks at the ends "
            "of a name are left out; rename all but one of them"
        )
    verb = "has" if len(padded) == 1 else "have"
    warn(
        f"{where}{counted(len(padded), noun)} {verb} blanks around the name, which are left out: "
        f"{listed([repr(name) for name in padded])}",
        DataWarning,
    )
    return bare


def as_spelled(name: Any, names: Collection[Any]) -> Any:
    """A name that was asked for, without blanks if it is among `names` only so."""
    if isinstance(name, str) and name not in names and name.strip() in names:
        return name.strip()
    return name
