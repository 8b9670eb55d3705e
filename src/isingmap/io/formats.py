"""The formats of model files: their names and endings, and the module that reads and writes each.

The list is the only place that knows all formats. Nothing is imported before a file is opened, so that a command
line that only shows its help need not wait for numpy.
"""

from __future__ import annotations

from importlib import import_module
from os import PathLike, fspath
from typing import TYPE_CHECKING, NamedTuple

from isingmap.errors import FileFormatError, ModelError

if TYPE_CHECKING:
    from isingmap.io.model_content import FormatFunctions


class Format(NamedTuple):
    """A format of model files.

    Attributes
    ----------
    name : str
        As in `format=`.
    title : str
        As people call it.
    endings : tuple of str
        Of names of files, by which it is known.
    module : str
        In `isingmap.io`; it has its `FormatFunctions` under the name FUNCTIONS.
    asks_domain : bool
        Some files do not tell whether their variables are -1/+1 or 0/1, and `domain=` is needed to read them.
    writes_domain : bool
        Variables can be written as either.
    keeps : tuple of str
        What it holds of a file beyond the probabilities: "scale", "domain", "free fields", all of the
        "record" or entries of it: "positions", and "results", the tables beside a model.json.
    takes_sign : bool
        Files of this format hold log weights or energies, and `sign=` says which.
    """

    name: str
    title: str
    endings: tuple[str, ...]
    module: str
    asks_domain: bool = False
    writes_domain: bool = False
    takes_sign: bool = False
    keeps: tuple[str, ...] = ()

    def functions(self) -> FormatFunctions:
        """What reads and writes the format."""
        return import_module(f"isingmap.io.{self.module}").FUNCTIONS


_NETWORK = ("positions", "results")
_ALL = (
    Format(
        "isingmap", "isingmap JSON", (".json",), "isingmap_json", keeps=("scale", "domain", "free fields", "record")
    ),
    Format("bqpjson", "bqpjson", (".bqpjson", ".bqp.json"), "bqpjson", writes_domain=True, keeps=("scale", "domain")),
    Format("edges", "edge list", (".csv", ".tsv", ".txt", ".csv.gz", ".mc"), "edge_list", takes_sign=True),
    Format("matrix", "coupling matrix", (".matrix.csv",), "matrix", takes_sign=True),
    Format("graphml", "GraphML", (".graphml", ".xml"), "graphml", keeps=_NETWORK),
    Format("gexf", "GEXF", (".gexf",), "gexf", keeps=_NETWORK),
    Format("cyjs", "Cytoscape JSON", (".cyjs",), "cyjs", keeps=_NETWORK),
    Format("uai", "UAI", (".uai",), "uai"),
    Format("coo", "COO", (".coo", ".qubo"), "coo", asks_domain=True, writes_domain=True, keeps=("domain",)),
)
FORMATS = {format.name: format for format in _ALL}


def format_named(name: str) -> Format:
    """The format of a name.

    Raises
    ------
    ModelError
        Listing the known formats.
    """
    if name not in FORMATS:
        raise ModelError(f"there is no format {name!r}; known are {known_formats()}")
    return FORMATS[name]


def format_by_ending(path: str | PathLike[str]) -> Format:
    """The format that the name of a file tells; of two endings that fit the longer counts.

    Raises
    ------
    FileFormatError
        Listing the known formats.
    """
    name = fspath(path).casefold()
    fitting = [(len(end), format.name) for format in _ALL for end in format.endings if name.endswith(end)]
    if not fitting:
        raise FileFormatError(
            f"{fspath(path)}: the format is not clear from the name. Give format=NAME; known are {known_formats()}"
        )
    return FORMATS[max(fitting)[1]]


def format_by_content(text: str) -> Format | None:
    """The format that a text is in, if it tells."""
    start = text.lstrip()
    return next((format for format in _ALL if format.functions().recognises(start)), None)


def known_formats() -> str:
    """Names and endings of all formats, for messages and help."""
    return ", ".join(f"{format.name} ({', '.join(format.endings)})" for format in _ALL)
