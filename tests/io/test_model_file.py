"""Any file: which format it has, every format into every other, and what is lost on the way."""

import contextlib
import itertools
import json
import time
import warnings

import numpy as np
import pytest
from file_cases import damaged, energies_of, read_or_refuse, refused, states
from hypothesis import HealthCheck, given, settings

from isingmap import IsingModel
from isingmap.errors import DataWarning, FileFormatError, IsingMapError, ModelError
from isingmap.files import whole_file
from isingmap.io import model_file
from isingmap.io.formats import FORMATS
from isingmap.io.model_file import ModelFile, companion, read_model_file, write_model_file

SLOW_FIXTURE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
SUFFIXES = {name: format.endings[0] for name, format in FORMATS.items()}
KEEPS_OFFSET = ("isingmap", "bqpjson", "graphml", "cyjs", "uai")


def example() -> ModelFile:
    model = IsingModel(
        [(0, 1), (2, 1), (0, 2)], [0.5, -0.25, 1 / 3], [0.0, -0.75, 0.0, 0.2], names=["10", "2", "NA", "alone"]
    )
    return ModelFile(model, offset=1.5, scale=2.0, domain="boolean")


def energies_by_name(file: ModelFile, names) -> np.ndarray:
    """Energies of all states, listed with the variables in the order of `names`."""
    order = [names.index(name) for name in file.model.names]
    return file.offset - file.model.log_weight(states(len(names))[:, order])


@pytest.mark.parametrize(("first", "second"), list(itertools.product(FORMATS, repeat=2)))
def test_every_format_into_every_other(tmp_path, first, second):
    file = example()
    names = list(file.model.names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        write_model_file(file, tmp_path / f"a{SUFFIXES[first]}")
        middle = read_model_file(tmp_path / f"a{SUFFIXES[first]}")
        write_model_file(middle, tmp_path / f"b{SUFFIXES[second]}")
    back = read_model_file(tmp_path / f"b{SUFFIXES[second]}")
    if "coo" in (first, second):
        names = ["0", "1", "2", "3"]
        assert sorted(back.model.names) == names
    shift = energies_by_name(back, names) - energies_of(file)
    kept = first in KEEPS_OFFSET and second in KEEPS_OFFSET
    np.testing.assert_allclose(shift, 0.0 if kept else shift[0], atol=1e-12)


def test_own_json_keeps_everything(tmp_path):
    file = example()
    write_model_file(file, tmp_path / "m.json")
    back = read_model_file(tmp_path / "m.json")
    assert (back.offset, back.scale, back.domain) == (1.5, 2.0, "boolean")
    assert back.model.free_fields.tolist() == file.model.free_fields.tolist()
    assert IsingModel.load(tmp_path / "m.json").names == file.model.names
    write_model_file(file.model, tmp_path / "plain.json")
    file.model.save(tmp_path / "saved.json")
    assert (tmp_path / "plain.json").read_bytes() == (tmp_path / "saved.json").read_bytes()


def test_the_format_comes_from_the_content_before_the_name(tmp_path):
    for key, suffix in SUFFIXES.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            write_model_file(example(), tmp_path / f"m{suffix}")
        if key not in ("edges", "matrix"):
            disguised = tmp_path / f"{key}.dat"
            disguised.write_bytes((tmp_path / f"m{suffix}").read_bytes())
            assert read_model_file(disguised).model.n_spins == 4


def test_domain_of_a_file_that_does_not_tell(write):
    path = write("0 1 -4.0\n", "m.coo")
    assert read_model_file(path, domain="boolean").model.couplings.tolist() == [1.0]
    assert read_model_file(path, domain="spin").model.couplings.tolist() == [4.0]


@pytest.mark.parametrize("suffix", [".bqpjson", ".coo"])
@pytest.mark.filterwarnings("ignore::isingmap.errors.DataWarning")
def test_the_domain_is_that_of_the_file_unless_another_is_asked_for(tmp_path, suffix):
    path = tmp_path / f"m{suffix}"
    write_model_file(example(), path)
    assert read_model_file(path).domain == "boolean"
    write_model_file(example(), path, domain="spin")
    assert read_model_file(path).domain == "spin"


def test_lost_offsets_are_said(tmp_path):
    with pytest.warns(DataWarning, match="cannot hold the offset 1.5"):
        write_model_file(example(), tmp_path / "edges.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["edges.csv", "nodes.csv"]
    assert "nodes.csv" in read_model_file(tmp_path / "edges.csv").notes[0]


def test_companions():
    assert companion("a/edges.csv").name == "nodes.csv" and companion("a/map.csv").name == "map.nodes.csv"
    assert companion("m.uai").name == "m.names" and companion("m.json") is None


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("m.xyz", "a b", r"format is not clear.*format=NAME.*bqpjson \(.bqpjson, .bqp.json\)"),
        ("m.json", '{"a": 1}', "not an isingmap model"),
        ("m.json", '{"format": "isingmap-model", "version": 99}', "reads up to version 1"),
        ("m.json", '{"format": "isingmap-model", "version": 1}', 'list under "names"'),
        ("m.json", "[1]", "JSON object"),
        ("m.json", "", "JSON"),
    ],
)
def test_refused(write, tmp_path, name, content, message):
    with refused(message, tmp_path, name):
        read_model_file(write(content, name))


def own(**changes) -> str:
    return json.dumps(
        {"format": "isingmap-model", "version": 1, "names": ["a", "b"], "edges": [[0, 1]], "couplings": [1.0],
         "fields": [0.0, 0.5], "free_fields": [False, True]} | changes
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"couplings": [float("nan")]}, "NaN is not finite"),
        ({"couplings": [10**400]}, "not finite"),
        ({"names": ["a", "a"]}, "unique"),
        ({"free_fields": [True]}, "free_fields must have shape"),
        ({"energy": 3}, '"energy" must be an object'),
        ({"energy": {"offset": "1"}}, '"offset" of "energy"'),
        ({"energy": {"scale": -1}}, '"scale" of "energy"'),
        ({"energy": {"domain": "x"}}, '"domain" of "energy"'),
    ],
)
def test_refused_isingmap_files(write, tmp_path, changes, message):
    with refused(message, tmp_path, "m.json"):
        read_model_file(write(own(**changes), "m.json"))


def test_missing_files_and_unknown_formats(tmp_path):
    with pytest.raises(FileFormatError, match="m.json: cannot be read .No such file"):
        read_model_file(tmp_path / "m.json")
    with pytest.raises(FileFormatError, match="cannot be read"):
        read_model_file(tmp_path, "uai")
    with pytest.raises(ModelError, match="there is no format 'pdf'; known are isingmap"):
        read_model_file(tmp_path / "m.json", "pdf")
    with pytest.raises(ModelError, match="offset must be finite"):
        write_model_file(ModelFile(example().model, float("inf")), tmp_path / "m.json")
    with pytest.raises(FileFormatError, match="drop the .gz"):
        write_model_file(example().model, tmp_path / "m.csv.gz")
    with pytest.raises(ModelError, match="UTF-8"):
        write_model_file(IsingModel([], [], names=["\ud800"]), tmp_path / "m.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format", FORMATS)
def test_a_failure_leaves_the_old_file(tmp_path, monkeypatch, format):
    path = tmp_path / f"m{SUFFIXES[format]}"
    path.write_text("old")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(whole_file.os, "replace", fail)
    with pytest.raises(OSError, match="disk full"), warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        write_model_file(example(), path)
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name] and path.read_text() == "old"


@SLOW_FIXTURE
@given(content=damaged(own(energy={"offset": 1.5, "scale": 2.0, "domain": "spin"})))
def test_hostile_json(tmp_path, content):
    read_or_refuse(read_model_file, tmp_path / "hostile.json", content)


@SLOW_FIXTURE
@given(content=damaged("# vartype=SPIN\n0 1 2.5\n"))
def test_hostile_files_of_unknown_format(tmp_path, content):
    for format in (None, *FORMATS):
        read_or_refuse(lambda path, f=format: read_model_file(path, f), tmp_path / "hostile.xyz", content)


def test_everything_raised_is_of_isingmap():
    assert issubclass(FileFormatError, IsingMapError) and model_file.ModelFile is ModelFile


@pytest.mark.parametrize(
    ("ending", "content"),
    [
        (".coo", "# vartype=SPIN\n0 1 1\n" + "#" * 99_000),
        (".coo", "# vartype=SPIN\n0 1 " + "1" * 99_000 + "x\n"),
        (".csv", "source,target,coupling\na,b," + "1" * 98_000 + "x\n"),
        (".uai", "MARKOV\n1\n2\n1\n1 0\n2\n1 " + "1" * 98_000 + "x\n"),
        (".json", '{"format": "isingmap-model", "version": 1, "names": [' + '"", ' * 24_000 + '""], "edges": [], '
         '"couplings": [], "fields": [], "free_fields": []}'),
    ],
)  # fmt: skip
def test_small_files_never_take_long(tmp_path, ending, content):
    path = tmp_path / f"file{ending}"
    path.write_text(content)
    start = time.perf_counter()
    with contextlib.suppress(FileFormatError):
        read_model_file(path)
    assert time.perf_counter() - start < 2.0
