"""Labels that mean something else to some program survive every format, or are refused by name."""

import itertools
import warnings

import pytest

from hostile_names import LABELS, NAMES
from isingmap import IsingModel
from isingmap.errors import DataWarning, FileFormatError, IsingMapError
from isingmap.files.csv_file import read_csv, write_csv
from isingmap.io.csv_table import read_table
from isingmap.io.formats import FORMATS
from isingmap.io.model_file import read_model_file, write_model_file

HOSTILE = LABELS + NAMES
# What no file of the format can hold: everything else comes back as it was.
REFUSED = {
    "edges": {" lead", "trail ", "\u3000", "\u00a0"},
    "matrix": {" lead", "trail ", "\u3000", "\u00a0"},
    "graphml": {"\x1b[31m"},
    "gexf": {"\x1b[31m"},
    "uai": {"a\nb", "a\r\nb", "a\rb", "x\u2028y"},
}


def chain(names):
    return IsingModel([(k, k + 1) for k in range(len(names) - 1)], [0.5] * (len(names) - 1), names=names)


@pytest.mark.parametrize("format", [name for name in FORMATS if name != "coo"])
def test_labels_survive_or_are_refused_by_name(tmp_path, format):
    path = tmp_path / f"m{FORMATS[format].endings[0]}"
    refused = set()
    for name in HOSTILE:
        try:
            write_model_file(chain([name, "other"]), path)
        except IsingMapError as error:
            assert repr(name) in str(error)
            refused.add(name)
    assert refused == REFUSED.get(format, set())
    held = [name for name in HOSTILE if name not in refused]
    write_model_file(chain(held), path)
    back = read_model_file(path).model
    assert list(back.names) == held
    assert {frozenset(pair) for pair in back.edge_names} == {frozenset(pair) for pair in itertools.pairwise(held)}


def test_coo_says_that_names_are_lost(tmp_path):
    with pytest.warns(DataWarning, match="names"):
        write_model_file(chain(list(HOSTILE)), tmp_path / "m.coo")


def test_labels_survive_tables(tmp_path):
    """Tables of a folder of results hold them all; headers of data lose white space at the ends, which is told."""
    rows = [[k % 2 for k in range(len(HOSTILE))], [1 - k % 2 for k in range(len(HOSTILE))]]
    write_csv(tmp_path / "t.csv", HOSTILE, rows)
    assert read_csv(tmp_path / "t.csv")[0] == HOSTILE
    blank = [name for name in HOSTILE if not name.strip()]
    with (
        pytest.warns(DataWarning, match="2 columns have blanks around the name, which are left out: ' lead', 'trail '"),
        pytest.raises(FileFormatError, match=f"gives no name to column {HOSTILE.index(blank[0]) + 1}, "),
    ):
        read_table(tmp_path / "t.csv")
    kept = [name for name in HOSTILE if name.strip()]
    write_csv(tmp_path / "t.csv", kept, [row[: len(kept)] for row in rows])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        assert read_table(tmp_path / "t.csv").names == tuple(name.strip() for name in kept)
