"""The graph of a model file of any format, or of a plain list of pairs, on which couplings are to be fitted anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath

from isingmap.data.table import FIELD, counted, listed
from isingmap.errors import DataError, FileFormatError
from isingmap.files.reading import each_read_once
from isingmap.io.edge_list import read_pairs
from isingmap.io.formats import Format
from isingmap.io.model_content import ModelFile
from isingmap.io.model_file import format_of_file


@dataclass(frozen=True)
class GraphFile:
    """A graph and where it came from.

    Attributes
    ----------
    path : str
    names : tuple of str
        Of the variables that the file knows.
    edges : tuple of (str, str)
    fields : tuple of str
        The variables that have a field.
    has_couplings : bool
        Whether the file holds numbers, too.
    notes : tuple of str
        What was done on reading, as plain sentences.
    """

    path: str
    names: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    fields: tuple[str, ...]
    has_couplings: bool
    notes: tuple[str, ...]

    def pairs(self, columns: Sequence[str], *, with_fields: bool) -> list[tuple[str, str]]:
        """The edges, for `PlanarIsing(graph=...)`; with_fields: and the fields, where the family does not say which.

        Raises
        ------
        DataError
            Listing all names of the file that are not among the columns of the table.
        """
        known = set(columns)
        strange = [repr(name) for name in self.names if name not in known]
        if strange:
            them = "it" if len(strange) == 1 else "them"
            raise DataError(
                f"{self.path}: the graph names {counted(len(strange), 'variable')} that the table does not have: "
                f"{listed(strange)}; its columns are {listed(columns)}. Rename {them} in one of the two files, or "
                f"leave {them} out of the graph"
            )
        return [*self.edges, *((name, FIELD) for name in self.fields if with_fields)]

    def note(self, *, with_fields: bool) -> str:
        """What became of the file, in plain sentences."""
        fields = f" and {counted(len(self.fields), 'field')}" if with_fields else ""
        unused = " The numbers in it were not used." if self.has_couplings else ""
        return " ".join(
            [*self.notes, f"The graph was given: {counted(len(self.edges), 'edge')}{fields} of {self.path}.{unused}"]
        )


def read_graph(path: str | PathLike) -> GraphFile:
    """The graph of a model file of any format, or of a file with two columns, the ends of each edge.

    Parameters
    ----------
    path : path-like

    Raises
    ------
    FileFormatError
        With the line or key that is not understood.
    """
    with each_read_once():
        format = format_of_file(path)
        pairs = read_pairs(path) if format.takes_sign else None
        if pairs is not None:
            names = dict.fromkeys(name for pair in pairs for name in pair)
            return GraphFile(fspath(path), tuple(names), tuple(pairs), (), has_couplings=False, notes=())
        file = _model_file(path, format)
    model = file.model
    fields = tuple(name for name, free in zip(model.names, model.free_fields.tolist(), strict=True) if free)
    edges = tuple(model.edge_names)
    return GraphFile(fspath(path), model.names, edges, fields, has_couplings=True, notes=file.notes)


def _model_file(path: str | PathLike, format: Format) -> ModelFile:
    """The file, with any meaning for numbers that will not be used."""
    if format.takes_sign:
        return format.functions().read(path, None, sign=1)
    try:
        return format.functions().read(path, None)
    except FileFormatError:
        if not format.asks_domain:
            raise
        return format.functions().read(path, "spin")
