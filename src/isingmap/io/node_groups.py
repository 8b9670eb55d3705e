"""Groups of variables, in a file beside the table."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

from isingmap.data.table import counted, listed
from isingmap.errors import DataError
from isingmap.files.csv_file import unguarded
from isingmap.io.delimited import named_columns, read_records


def read_node_groups(path: str | PathLike, names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Groups of variables from a file with columns `name` and `group`, such as a nodes.csv of results.

    Returns
    -------
    groups : tuple of str
        One for each of `names`.
    notes : tuple of str
        The names in the file that are not among `names`, if there are any.

    Raises
    ------
    FileFormatError
        If the columns are absent.
    DataError
        If a variable of `names` has no group, or two.
    """
    records = read_records(path)
    group_of: dict[str, str] = {}
    keys, groups = named_columns(records, ("name", "group"))
    for key, group, line in zip(keys, groups, records.lines[1:], strict=True):
        key, group = unguarded(key.strip()), unguarded(group.strip())
        if group_of.setdefault(key, group) != group:
            raise records.fail(f"line {line}: {key!r} is in {group!r} and in {group_of[key]!r}")
    without = [repr(name) for name in names if name not in group_of]
    if without:
        raise DataError(
            f"{records.path}: no group for {counted(len(without), 'variable')}: {listed(without)}. Give each variable "
            "a line"
        )
    known = frozenset(names)
    strange = [name for name in group_of if name not in known]
    note = f"{records.path} has {counted(len(strange), 'name')} that the table does not have: {listed(strange)}."
    return tuple(group_of[name] for name in names), (note,) if strange else ()
