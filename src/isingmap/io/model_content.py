"""What readers of model files give and writers take: a model, and what its file says beyond it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from isingmap.errors import FileFormatError, ModelError
from isingmap.model import IsingModel

ModelPath = str | PathLike[str]


@dataclass(frozen=True, eq=False)
class ModelFile:
    """A model and what its file says beyond it.

    For every configuration, E(x) = offset - model.log_weight(x), where E is the energy that the file defines, in its
    own units and with its scale multiplied in, and P(x) = exp(-E(x)) / Z. The log partition function of the
    file is therefore model.log_partition() - offset.

    Attributes
    ----------
    model : IsingModel
    offset : float
        Nats, at inverse temperature 1.
    scale : float
        Factor in front of all terms in the file (1 in formats without one). The couplings, the fields and
        `offset` contain it; it is kept so that the file can be written back with the numbers it had.
    domain : {"spin", "boolean"}
        Whether the file's variables are -1/+1 or 0/1; 0 stands for -1.
    notes : tuple of str
        What was done on reading, as plain sentences.
    record : mapping
        What else stands in a model.json, by its keys: how the model was learned, facts, positions.
    damaged : tuple of str
        What of the record was left out because it makes no sense.
    """

    model: IsingModel
    offset: float = 0.0
    scale: float = 1.0
    domain: str = "spin"
    notes: tuple[str, ...] = ()
    record: Mapping[str, Any] = field(default_factory=dict)
    damaged: tuple[str, ...] = ()


@dataclass(frozen=True)
class FormatFunctions:
    """What the module of a format offers under the name FUNCTIONS.

    Attributes
    ----------
    read : callable (path, domain) -> ModelFile
        `domain` is None, or what the variables are if the file does not tell. Formats that take a sign are called with
        `sign=`, too.
    write : callable (content, path, domain)
        `domain` is what the variables are to be in the file, where the format leaves the choice.
    recognises : callable (text) -> bool
        Whether a text, white space in front of it removed, is in this format beyond doubt. For no text may two
        formats say so.
    companion : callable (path) -> path or None
        The second file that is written beside the first.
    """

    read: Callable[..., ModelFile]
    write: Callable[[ModelFile, ModelPath, str], None]
    recognises: Callable[[str], bool] = lambda text: False
    companion: Callable[[ModelPath], Path | None] = lambda path: None


def build_model(path: ModelPath, names, edges, couplings, fields, free_fields=None) -> IsingModel:
    """IsingModel(...), with the file named in the error.

    Raises
    ------
    FileFormatError
        If the parts do not fit together.
    """
    try:
        return IsingModel(edges, couplings, fields, names=names, free_fields=free_fields)
    except ModelError as error:
        raise FileFormatError(f"{fspath(path)}: {error}") from None
