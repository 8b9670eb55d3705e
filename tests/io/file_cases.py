"""What the tests of model files share: all states, random models with odd names, and the fuzzing of readers."""

import itertools
import re
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

from isingmap import IsingModel
from isingmap.errors import FileFormatError, IsingMapError

ODD_NAMES = (
    "NA", "None", "nan", "a,b", "<x>&", "=1+1", "'=1", "-1", "1", "01", 'say "x"', "a b", "Müller", "日本", "#c",
    "a;b", "]]>", "&amp;", "//", "x\ty", "{", "MARKOV", "true", "a\rb",
)  # fmt: skip
LINE_BREAKS = ("a\nb", "a\r\nb", "x\x85y", "x\u2028y")

VALUES = st.one_of(
    st.floats(-5, 5, allow_subnormal=False), st.sampled_from([0.0, 1e-12, -50.0, 300.0, 1 / 3]), st.integers(-3, 3)
).map(float)


NAMES = st.sampled_from(ODD_NAMES)


@st.composite
def models(draw, names=NAMES, values=VALUES):
    """Up to five spins, any graph, any fields, isolated spins included."""
    chosen = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    pairs = list(itertools.combinations(range(len(chosen)), 2))
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    couplings = [draw(values) for _ in edges]
    return IsingModel(edges, couplings, [draw(values) for _ in chosen], names=chosen)


def states(n: int) -> np.ndarray:
    """All 2^n configurations of -1 and +1."""
    return np.array(list(itertools.product((-1, 1), repeat=n)))


def energies_of(file) -> np.ndarray:
    """What a ModelFile says the energy of each state is."""
    return file.offset - file.model.log_weight(states(file.model.n_spins))


def assert_energies(file, energy, domain="spin", rtol=1e-12):
    """Compare with an independent function of one configuration in the file's own domain, on all states."""
    x = states(file.model.n_spins)
    expected = [energy((row + 1) // 2 if domain == "boolean" else row) for row in x]
    largest = np.abs(expected).max()  # what cancels leaves the rounding of the terms
    np.testing.assert_allclose(energies_of(file), expected, rtol=rtol, atol=1e-12 * max(1.0, largest / 100))


def assert_same(found, model, rtol=0.0, atol=0.0):
    """The same model: names, edges, couplings and fields."""
    assert found.names == model.names
    assert found.edges.tolist() == model.edges.tolist()
    np.testing.assert_allclose(found.couplings, model.couplings, rtol=rtol, atol=atol)
    np.testing.assert_allclose(found.fields, model.fields, rtol=rtol, atol=atol)


PIECES = (
    "", " ", "0", "-1", "1e999", "NaN", "nan", "Infinity", "9" * 400, "9" * 5000, '"', "[", "{}", "null", "\n", "#",
    "\x00", "\ud7ff", "true", "<", "&", "2", "1.5", "a", "<!DOCTYPE a>", "]",
)  # fmt: skip


def damaged(sample: str):
    """Texts like the sample with a piece replaced, and texts of anything."""
    pieces = st.sampled_from(PIECES)
    position = st.integers(0, len(sample))
    replaced = st.tuples(position, st.integers(0, 12), pieces).map(
        lambda cut: sample[: cut[0]] + cut[2] + sample[cut[0] + cut[1] :]
    )
    return st.one_of(replaced, st.text(max_size=40), pieces).map(str.encode) | st.binary(max_size=40)


@contextmanager
def refused(message: str, folder: Path, name: str):
    """Expect a FileFormatError that names the file and matches `message`.

    pytest names the folder after the parameters of the test, the message among them, so it must not be searched.
    """
    with pytest.raises(FileFormatError) as caught:
        yield
    text = str(caught.value).replace(str(folder), "")
    assert re.search(message, text) and name in text, text


def read_or_refuse(reader, path: Path, content: bytes):
    """Only errors of isingmap may come out of a reader, and they name the file."""
    path.write_bytes(content)
    try:
        return reader(path)
    except IsingMapError as error:
        assert path.name in str(error)
        assert "\n" not in str(error)[:20]
    return None
