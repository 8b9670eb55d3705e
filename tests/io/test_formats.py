"""The list of formats: names and endings lead to readers, and the docs know all of them."""

import re
from pathlib import Path

import pytest

from isingmap.errors import FileFormatError, ModelError
from isingmap.io.formats import FORMATS, format_by_content, format_by_ending, format_named

ROOT = Path(__file__).resolve().parents[2]
TEXTS = {
    "isingmap": '{"names": [], "format": "isingmap-model"}',
    "bqpjson": ' {"variable_domain": "spin"}',
    "graphml": "\n<?xml",
    "uai": "markov\n2",
    "coo": "# vartype=SPIN\n0 1 1",
}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a.BQP.JSON", "bqpjson"),
        ("x/y.json", "isingmap"),
        ("x.json/y.csv.gz", "edges"),
        (Path("a.qubo"), "coo"),
        (".uai", "uai"),
    ],
)
def test_by_ending(path, name):
    assert format_by_ending(path) is FORMATS[name]


@pytest.mark.parametrize("path", ["m", "m.json.bak", "json", "m.csv/"])
def test_endings_that_tell_nothing(path):
    with pytest.raises(FileFormatError, match=r"not clear from the name.*format=NAME.*uai \(\.uai\)"):
        format_by_ending(path)


@pytest.mark.parametrize("name", TEXTS)
def test_by_content_one_format_only(name):
    assert format_by_content(TEXTS[name]) is FORMATS[name]
    sure = [key for key, format in FORMATS.items() if format.functions().recognises(TEXTS[name].lstrip())]
    assert sure == [name]


@pytest.mark.parametrize("text", ["", "MARKOVIAN", "a,b,1", "# i j J", "{", '{"a": {"variable_domain": 1}}', "[1]"])
def test_contents_that_tell_nothing(text):
    assert format_by_content(text) is None


def test_names():
    assert all(format_named(name).name == name for name in FORMATS)
    with pytest.raises(ModelError, match=r"no format 'pdf'; known are isingmap \(\.json\)"):
        format_named("pdf")


def test_no_ending_belongs_to_two_formats():
    endings = [end for format in FORMATS.values() for end in format.endings]
    assert len(set(endings)) == len(endings) and all(end.startswith(".") and end == end.casefold() for end in endings)


def test_the_docs_list_every_format_and_ending():
    rows = re.findall(r"^\| `(\w+)`(.*)$", (ROOT / "docs" / "formats.md").read_text(), re.MULTILINE)
    table = dict(rows)
    assert list(table) == list(FORMATS)
    for name, format in FORMATS.items():
        assert set(re.findall(r"`(\.[\w.]+)`", table[name].split("|")[1])) >= set(format.endings), name
