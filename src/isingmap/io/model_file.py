"""Model files of every format: read and write one, and tell which format it has."""

from __future__ import annotations

from os import fspath
from pathlib import Path

from isingmap.data.table import counted
from isingmap.errors import FileFormatError, ModelError
from isingmap.files.reading import each_read_once, read_text
from isingmap.files.whole_file import is_stream, together
from isingmap.io.formats import Format, format_by_content, format_by_ending, format_named
from isingmap.io.model_content import ModelFile, ModelPath
from isingmap.model import IsingModel

__all__ = ["ModelFile", "companion", "left_behind", "read_model_file", "write_model_file"]


def read_model_file(
    path: ModelPath, format: str | None = None, *, domain: str | None = None, sign: int | None = None
) -> ModelFile:
    """Read a model from a file of any format in `isingmap.io.formats.FORMATS`.

    Parameters
    ----------
    path : path-like
        An edge list `edges.csv` is read with its `nodes.csv`, `NAME.csv` with `NAME.nodes.csv`, if there is one.
    format : str, optional
        A key of `FORMATS`; by default from the content where that is clear, else from the name.
    domain : {"spin", "boolean"}, optional
        What the variables are, for COO files that do not tell.
    sign : {1, -1}, optional
        For edge lists: -1 if the file holds energies, E = sum J s s, so that negative means agree.

    Returns
    -------
    ModelFile
        The model with the offset, scale and domain of the file.

    Raises
    ------
    FileFormatError
        With the line or key that is not understood.
    ModelError
        If there is no such format or domain.
    """
    with each_read_once():
        chosen = format_of_file(path) if format is None else format_named(format)
        if sign is None:
            return chosen.functions().read(path, domain)
        if not chosen.takes_sign:
            raise ModelError(
                f"sign= is for edge lists; {chosen.title} files have one convention, which is read rightly"
            )
        return chosen.functions().read(path, domain, sign=sign)


def write_model_file(
    model: ModelFile | IsingModel, path: ModelPath, format: str | None = None, *, domain: str | None = None
) -> None:
    """Write a model to a file of any format in `FORMATS`; what the format cannot hold is said in a warning.

    Where a format has a second file, both are written or none.

    Parameters
    ----------
    model : ModelFile or IsingModel
    path : path-like
        Edge lists get a file of nodes beside them, UAI files a file of names: see `companion`.
    format : str, optional
        A key of `FORMATS`; by default from the name of the file.
    domain : {"spin", "boolean"}, optional
        For bqpjson and COO; by default that of the ModelFile.

    Warns
    -----
    DataWarning
        If the offset or the names are lost.

    Raises
    ------
    FileFormatError
        If the name of the file does not tell the format.
    ModelError
        If there is no such format or domain, or the format cannot hold a name or a number of the model.
    OSError
        If the folder does not exist or cannot be written to.
    """
    content = model if isinstance(model, ModelFile) else ModelFile(model)
    companion(path, format)  # refuses a pipe that two files would go into
    with together():
        format_to_write(path, format).functions().write(content, path, domain or content.domain)


def left_behind(content: ModelFile, path: ModelPath, format: str | None = None) -> tuple[str, ...]:
    """What a file of another format will not hold, beyond what `write_model_file` warns of; plain sentences.

    Raises
    ------
    FileFormatError
        If the name of the file does not tell the format.
    ModelError
        If there is no such format.
    """
    chosen, model = format_to_write(path, format), content.model
    n_free = int((model.free_fields & (model.fields == 0)).sum())
    entries = [entry for entry in content.record if entry not in chosen.keeps]
    said = [
        ("record", entries, f"Left out, for want of a place in {chosen.title}: {', '.join(entries)}."),
        ("scale", content.scale != 1, f"The scale {content.scale:.12g} is multiplied into the new numbers."),
        ("domain", content.domain == "boolean", "Read again, the new file has variables -1/+1; -1 is what was 0."),
        ("free fields", n_free, f"No parameter in the new file: {counted(n_free, 'field')} of value 0."),
    ]
    return tuple(sentence for what, is_there, sentence in said if is_there and what not in chosen.keeps)


def companion(path: ModelPath, format: str | None = None) -> Path | None:
    """The second file that a format writes beside the first: nodes of an edge list, names of a UAI file.

    Raises
    ------
    FileFormatError
        If the name of the file does not tell the format, or it is a pipe or device, beside which no file can be.
    ModelError
        If there is no such format.
    """
    chosen = format_to_write(path, format)
    beside = chosen.functions().companion(path)
    if beside is not None and is_stream(path):
        raise FileFormatError(
            f"{fspath(path)}: {chosen.title} comes as two files, which do not fit into one stream. Give the name of a "
            "file, or one of the other formats"
        )
    return beside


def format_to_write(path: ModelPath, format: str | None) -> Format:
    return format_by_ending(path) if format is None else format_named(format)


def format_of_file(path: ModelPath) -> Format:
    """By the content if it tells, else by the name; compressed and other binary files do not tell.

    Raises
    ------
    FileFormatError
        If neither tells.
    """
    try:
        text = read_text(path)
    except FileFormatError:
        return format_by_ending(path)
    return format_by_content(text) or format_by_ending(path)
