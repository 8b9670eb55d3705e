"""COO, the text files of dimod (D-Wave), lines `i j bias`; the .qubo files of qbsolv are read too."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from os import fspath

import numpy as np

from isingmap.errors import DataWarning, FileFormatError, ModelError
from isingmap.files.number_text import number
from isingmap.files.reading import read_text
from isingmap.files.whole_file import write_text
from isingmap.io.counts_line import holds_counts
from isingmap.io.dimod_objects import DOMAIN_OF, VARTYPE_OF
from isingmap.io.domains import DOMAINS
from isingmap.io.energy_signs import Energy, energy_from_model, model_from_energy
from isingmap.io.model_content import FormatFunctions, ModelFile, ModelPath
from isingmap.model import IsingModel

_VARTYPE = re.compile(r"vartype[:=]\s*([-\w.]+)")
_LABEL = re.compile(r"0|[1-9]\d{0,17}", re.ASCII)
_ASK = "give domain='spin' for -1/+1, domain='boolean' for 0/1"


def read_coo(path: ModelPath, *, domain: str | None = None) -> ModelFile:
    """Read lines `i j bias` (i = i: linear), with the header `# vartype=SPIN` or BINARY, or `p qubo`.

    Terms given several times, also as i j and j i, add up, as dimod has it. Spins are ordered by their numbers.

    Parameters
    ----------
    path : path-like
    domain : {"spin", "boolean"}, optional
        Needed when the file does not tell.

    Raises
    ------
    FileFormatError
        With the line that is not understood, or if nobody says what the variables are.
    ModelError
        If `domain` is neither.
    """
    if domain is not None and domain not in DOMAINS:
        raise ModelError(f"domain must be one of {', '.join(DOMAINS)}, got {domain!r}")
    name = fspath(path)
    stated = None
    terms: list[tuple[int, int, float]] = []
    first: tuple[list[str], str] | None = None
    for line, content in enumerate(read_text(path).splitlines(), 1):
        words = content.split()
        place = f"{name}: line {line}"
        if not words or words[0] == "c" or words[0].startswith("%"):
            continue
        if words[0].startswith("#") or words[0] == "p":
            stated = _stated_domain(content, place) or stated
        elif first is None and len(words) == 2:
            first = words, place
        else:
            first = first or (words, place)
            terms.append(_term(words, place))
    if first is not None and stated is None:
        _refuse_counts(*first, terms)
    elif first is not None and len(first[0]) == 2:
        _term(*first)
    if domain and stated and domain != stated:
        raise FileFormatError(f"{name}: the file says its variables are {stated}, but domain={domain!r}")
    domain = domain or stated
    if domain is None:
        raise FileFormatError(f"{name}: the file does not say whether its variables are spins; {_ASK}")
    return _model(terms, domain, name)


def write_coo(model: IsingModel, path: ModelPath, *, offset: float = 0.0, domain: str = "spin") -> None:
    """Write a COO file with header; isolated variables get a line with bias 0.

    Raises
    ------
    ModelError
        If `domain` is neither "spin" nor "boolean", or a coefficient is too large.

    Warns
    -----
    DataWarning
        If the offset or the names are lost: the format has neither. Names that are whole numbers are kept.
    """
    energy = energy_from_model(model, offset=offset, domain=domain)
    labels: Sequence[str] = model.names
    if not all(_LABEL.fullmatch(label) for label in labels):
        labels = [str(k) for k in range(model.n_spins)]
        warnings.warn(
            f"{fspath(path)}: COO files have no names; the variables are numbered 0 to {model.n_spins - 1} in the "
            "order of the model. bqpjson, UAI and GraphML keep names",
            DataWarning,
        )
    if energy.offset:
        warnings.warn(
            f"{fspath(path)}: COO files cannot hold the offset {energy.offset:.12g} of the energy; it is lost. "
            "bqpjson, UAI and GraphML keep it",
            DataWarning,
        )
    lines = [f"# vartype={VARTYPE_OF[domain]}", *_lines(energy, labels)]
    write_text(path, "\n".join(lines) + "\n")


def _stated_domain(content: str, place: str) -> str | None:
    """What a header says about the variables, if anything."""
    if content.split()[0] == "p":
        if content.split()[1:2] != ["qubo"]:
            raise FileFormatError(f"{place}: expected `p qubo ...`, got {content[:60]!r}")
        return "boolean"
    found = _VARTYPE.search(content)
    if not found:
        return None
    if found[1] not in DOMAIN_OF:
        raise FileFormatError(f"{place}: vartype must be SPIN or BINARY, got {found[1][:40]!r}")
    return DOMAIN_OF[found[1]]


def _term(words: Sequence[str], place: str) -> tuple[int, int, float]:
    if len(words) != 3 or not all(_LABEL.fullmatch(word) for word in words[:2]):
        raise FileFormatError(
            f"{place}: expected two whole numbers and a bias, got {' '.join(words)[:60]!r}. For other labels "
            "use an edge list (source,target,coupling)"
        )
    bias = number(words[2])
    if bias is None:
        raise FileFormatError(f"{place}: the bias must be a finite number, got {words[2][:40]!r}")
    return int(words[0]), int(words[1]), bias


def _refuse_counts(words: Sequence[str], place: str, terms: Sequence[tuple[int, int, float]]) -> None:
    """Refuse a first line of counts; a file with a header of its own has none."""
    below = [(str(i), str(j)) for i, j, _ in (terms if len(words) == 2 else terms[1:])]
    if holds_counts(words, below):
        raise FileFormatError(
            f"{place}: {' '.join(words)!r} holds counts (variables, lines), not a term; delete the line. If it is a "
            "term, write the line `# vartype=SPIN` (or BINARY) on top of the file"
        )


def _model(terms: Sequence[tuple[int, int, float]], domain: str, path: str) -> ModelFile:
    labels = sorted({i for *ends, _ in terms for i in ends})
    position = {label: k for k, label in enumerate(labels)}
    linear = [0.0] * len(labels)
    quadratic: dict[tuple[int, int], float] = {}
    for i, j, bias in terms:
        pair = position[min(i, j)], position[max(i, j)]
        if i == j:
            linear[pair[0]] += bias
        else:
            quadratic[pair] = quadratic.get(pair, 0.0) + bias
    names = tuple(str(label) for label in labels)
    energy = Energy(names, list(quadratic), linear, list(quadratic.values()), domain=domain)
    return model_from_energy(energy, path, _notes(labels))


def _notes(labels: Sequence[int]) -> tuple[str, ...]:
    if not labels or labels[-1] + 1 == len(labels) or (labels[0] == 1 and labels[-1] == len(labels)):
        return ()
    return (
        f"The variables are numbered {labels[0]} to {labels[-1]}, but only {len(labels)} occur. dimod leaves "
        "variables without any term out of COO files; if there were such, they are missing here.",
    )


def _lines(energy: Energy, labels: Sequence[str]):
    # dimod silently skips numbers with an exponent, hence positional notation, with all digits.
    joined = {i for pair in energy.edges for i in pair}
    for i, value in enumerate(energy.linear):
        if value or i not in joined:
            yield f"{labels[i]} {labels[i]} {np.format_float_positional(value, trim='-')}"
    for (i, j), value in zip(energy.edges, energy.quadratic, strict=True):
        yield f"{labels[i]} {labels[j]} {np.format_float_positional(value, trim='-')}"


# --- the format -------------------------------------------------------------------------------------------


def _read(path: ModelPath, domain: str | None) -> ModelFile:
    return read_coo(path, domain=domain)


def _write(content: ModelFile, path: ModelPath, domain: str) -> None:
    write_coo(content.model, path, offset=content.offset, domain=domain)


def _recognises(text: str) -> bool:
    header = text.partition("\n")[0]
    return (header.startswith("#") and "vartype" in header) or header.startswith("p qubo")


FUNCTIONS = FormatFunctions(_read, _write, _recognises)
