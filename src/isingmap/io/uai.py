"""UAI MARKOV files (the format of the UAI inference competitions), binary variables, factors of at most two."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import fspath
from pathlib import Path

import numpy as np

from isingmap.errors import FileFormatError, ModelError
from isingmap.files.number_text import number
from isingmap.files.reading import read_text
from isingmap.files.whole_file import write_text
from isingmap.io.model_content import FormatFunctions, ModelFile, ModelPath, build_model
from isingmap.io.rounding import drop_rounding, rounding_notes, settled_sum
from isingmap.model import IsingModel
from isingmap.model.potentials import model_from_potentials

_COMMENT = re.compile(r"(#|//)[^\r\n]*")
_LARGEST_LOG = 700.0  # exp of it is still a double
_MOST_PARTS = 1000


def read_uai(path: ModelPath) -> ModelFile:
    """Read a Markov network; value 0 of a variable is x = -1, value 1 is x = +1.

    The energy is minus the log of the product of all factors. Names come from the file of the same name ending in
    .names, one per line, if there is one; else the variables are called by their numbers.

    Raises
    ------
    FileFormatError
        With the line or the number of the factor, counted from 1, that is not understood, has three variables or
        more, or an entry that is not positive.
    """
    name = fspath(path)
    tokens = _Tokens(name, _numbered_words(_COMMENT.sub("", read_text(path))))
    kind = tokens.word("MARKOV")
    if kind.upper() != "MARKOV":
        raise tokens.fail(f"expected MARKOV, got {kind[:40]!r}; only Markov networks are read")
    n_spins = _read_cardinalities(tokens)
    n_factors = tokens.count("the number of factors")
    scopes = [_read_scope(tokens, k, n_spins) for k in range(1, n_factors + 1)]
    tables = [_read_table(tokens, k, scope) for k, scope in enumerate(scopes, 1)]
    tokens.expect_end()
    return _model(path, _read_names(path, n_spins), scopes, tables)


def write_uai(model: IsingModel, path: ModelPath, *, offset: float = 0.0) -> None:
    """Write the factors exp(field x), exp(coupling x y) and, unless 1, exp(-offset); names go beside.

    A table holds exp(log potential): log potentials beyond 700 are split over several factors, and those below
    about 1e-16 are lost.

    Raises
    ------
    ModelError
        If a log potential is beyond 700 000, or a name does not fit on a line of the file of names.
    """
    names = _names_text(model.names)
    factors: list[tuple[tuple[int, ...], list[float]]] = []
    for part in _parts(-offset, "the offset"):
        factors.append(((), [part]))
    for i in np.flatnonzero(model.fields).tolist():
        for part in _parts(float(model.fields[i]), f"the field of {model.names[i]}"):
            factors.append(((i,), [-part, part]))
    for (i, j), coupling in zip(model.edges.tolist(), model.couplings.tolist(), strict=True):
        what = f"the coupling of {model.names[i]} and {model.names[j]}"
        # A coupling of 0 keeps its factor: the edge is a parameter of the model.
        for part in _parts(coupling, what) or [0.0]:
            factors.append(((i, j), [part, -part, -part, part]))
    write_text(names_path(path), names)
    write_text(path, _document(model.n_spins, factors))


def names_path(path: ModelPath) -> Path:
    """Where the names of the variables of a UAI file are: model.uai has model.names."""
    return Path(path).with_suffix(".names")


# --- reading ----------------------------------------------------------------------------------------------


def _numbered_words(text: str) -> Iterator[tuple[int, str]]:
    for line, content in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        for word in content.split():
            yield line, word


@dataclass
class _Tokens:
    """The words of a file in turn, with the line of the last one."""

    path: str
    words: Iterator[tuple[int, str]]
    line: int = 1

    def fail(self, message: str) -> FileFormatError:
        return FileFormatError(f"{self.path}: line {self.line}: {message}")

    def word(self, what: str) -> str:
        found = next(self.words, None)
        if found is None:
            raise self.fail(f"the file ends where {what} should be")
        self.line, word = found
        return word

    def count(self, what: str) -> int:
        word = self.word(what)
        if not re.fullmatch(r"\d{1,9}", word, re.ASCII):
            raise self.fail(f"{what} must be a whole number >= 0, got {word[:40]!r}")
        return int(word)

    def expect_end(self) -> None:
        found = next(self.words, None)
        if found is not None:
            self.line, word = found
            raise self.fail(f"expected the end of the file after the last table, got {word[:40]!r}")


def _read_cardinalities(tokens: _Tokens) -> int:
    n_spins = tokens.count("the number of variables")
    for i in range(n_spins):
        values = tokens.count(f"the number of values of variable {i}")
        if values != 2:
            raise tokens.fail(f"variable {i} has {values} values; isingmap takes variables of two values only")
    return n_spins


def _read_scope(tokens: _Tokens, k: int, n_spins: int) -> tuple[int, ...]:
    size = tokens.count(f"the number of variables of factor {k}")
    if size > 2:
        raise tokens.fail(f"factor {k} has {size} variables; an Ising model has factors of one or two")
    scope = tuple(tokens.count(f"a variable of factor {k}") for _ in range(size))
    if any(i >= n_spins for i in scope) or len(set(scope)) < size:
        raise tokens.fail(f"factor {k} is on the variables {scope}; expected different numbers below {n_spins}")
    return scope


def _read_table(tokens: _Tokens, k: int, scope: tuple[int, ...]) -> np.ndarray:
    """Logs of the entries, one axis for each variable of the scope; the last variable runs fastest."""
    what = f"factor {k} (variables {', '.join(map(str, scope)) or 'none'})"
    size = tokens.count(f"the number of entries of {what}")
    if size != 2 ** len(scope):
        raise tokens.fail(f"{what} has {size} entries, expected {2 ** len(scope)}")
    logs = [math.log(_entry(tokens, what)) for _ in range(size)]
    return np.array(logs).reshape((2,) * len(scope))


def _entry(tokens: _Tokens, what: str) -> float:
    word = tokens.word(f"an entry of {what}")
    value = number(word)
    if value is None or value < 0:
        raise tokens.fail(f"{what}: an entry must be a positive number, got {word[:40]!r}")
    if value == 0:
        raise tokens.fail(
            f"{what} has a zero entry, a coupling or field without bound. Put a small number such as 1e-30 in its "
            "place or, where the zero fixes a variable, remove the factor and condition the model on its value"
        )
    return value


def _model(path, names: Sequence[str], scopes, tables) -> ModelFile:
    """Add up the log potentials of each scope and convert them."""
    pair: dict[tuple[int, ...], np.ndarray] = {}
    unary = np.zeros((len(names), 2))
    magnitudes, n_terms = np.zeros(len(names)), np.zeros(len(names))
    for scope, table in zip(scopes, tables, strict=True):
        for i in scope:
            magnitudes[i] += np.abs(table).sum()
            n_terms[i] += 4
        if len(scope) == 2:
            key, table = (scope, table) if scope[0] < scope[1] else (scope[::-1], table.T)
            pair[key] = pair.get(key, 0.0) + table
        elif scope:
            unary[scope[0]] += table
    edges = np.array(list(pair), np.int64).reshape(-1, 2)
    potentials = np.array(list(pair.values())).reshape(-1, 2, 2)
    try:
        model, _ = model_from_potentials(edges, potentials, unary, names=names)
    except ModelError as error:
        raise FileFormatError(f"{fspath(path)}: {error}") from None
    fields, n_dropped = drop_rounding(model.fields, magnitudes, n_terms)
    model = build_model(path, names, model.edges, model.couplings, fields)
    # The constant is the sum of the means of all tables, taken over so that cancellation leaves an exact zero.
    means = [float(value) / table.size for table in tables for value in table.flat]
    return ModelFile(model, -settled_sum(means) + 0.0, notes=rounding_notes(n_dropped))


def _read_names(path: ModelPath, n_spins: int) -> list[str]:
    beside = names_path(path)
    if not beside.exists():
        return [str(i) for i in range(n_spins)]
    names = read_text(beside).splitlines()
    if len(names) != n_spins:
        raise FileFormatError(
            f"{beside}: {len(names)} names for the {n_spins} variables of {fspath(path)}; remove it or complete it"
        )
    return names


# --- writing ----------------------------------------------------------------------------------------------


def _names_text(names: Sequence[str]) -> str:
    for name in names:
        if (name + "\n").splitlines() != [name] or name.startswith("\ufeff"):
            raise ModelError(f"the name {name!r} does not fit on one line of a file of names; rename the variable")
    return "".join(f"{name}\n" for name in names)


def _parts(value: float, what: str) -> list[float]:
    """Equal parts of a log potential, each small enough for exp; none for zero."""
    if not abs(value) <= _MOST_PARTS * _LARGEST_LOG:
        raise ModelError(f"{what} is {value:g}, too large for the factors of a UAI file; rescale the model")
    n_parts = math.ceil(abs(value) / _LARGEST_LOG)
    return [value / n_parts for _ in range(n_parts)]


def _document(n_spins: int, factors) -> str:
    lines = ["MARKOV", str(n_spins), " ".join(["2"] * n_spins), str(len(factors))]
    lines += [" ".join(map(str, (len(scope), *scope))) for scope, _ in factors]
    for _, logs in factors:
        lines += ["", str(len(logs)), " ".join(repr(math.exp(value)) for value in logs)]
    return "\n".join(lines) + "\n"


# --- the format -------------------------------------------------------------------------------------------


def _read(path: ModelPath, domain: str | None) -> ModelFile:
    return read_uai(path)


def _write(content: ModelFile, path: ModelPath, domain: str) -> None:
    write_uai(content.model, path, offset=content.offset)


def _recognises(text: str) -> bool:
    return text[:6].upper() == "MARKOV" and not text[6:7].strip()


FUNCTIONS = FormatFunctions(_read, _write, _recognises, names_path)
