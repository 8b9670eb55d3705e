"""JSON of strangers is read strictly; ours is written whole."""

import pytest

from isingmap.errors import FileFormatError, ModelError
from isingmap.files.strict_json import read_json_object, shown, write_json


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "not a valid JSON file"),
        ("{", "not a valid JSON file"),
        ("[1]", "expected a JSON object {...}, got a list"),
        ('{"a":' * 100_000, "not a valid"),
        ('{"a": NaN}', "NaN is not finite"),
        ('{"a": -Infinity}', "-Infinity is not finite"),
        ('{"a": 1e999}', "1e999' is not finite"),
        ('{"a": ' + "9" * 400 + "}", "not finite"),
        ("\udcff", "not UTF-8 text .byte 0"),
    ],
)
def test_refused(tmp_path, content, message):
    path = tmp_path / "m.json"
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(FileFormatError, match=rf"m\.json: .*{message}"):
        read_json_object(path)


def test_what_is_written_is_read_back(tmp_path):
    document = {"names": ["é", "\u2028"], "values": [1 / 3, -0.0, 10**18 - 1], "none": None}
    write_json(tmp_path / "m.json", document)
    assert read_json_object(tmp_path / "m.json") == document
    assert (tmp_path / "m.json").read_bytes().startswith('{"names":["é",'.encode())


def test_a_failure_leaves_the_old_file(tmp_path):
    write_json(tmp_path / "m.json", {"a": 1})
    for bad, error in (({"a": float("nan")}, ValueError), ({"a": "\ud800"}, ModelError)):
        with pytest.raises(error):
            write_json(tmp_path / "m.json", bad)
    assert read_json_object(tmp_path / "m.json") == {"a": 1} and len(list(tmp_path.iterdir())) == 1


def test_long_values_are_shown_in_part():
    assert shown("ab") == "'ab'" and len(shown("a" * 1000)) == 60 and shown("a" * 1000).endswith("...")


@pytest.mark.parametrize(
    "text, message",
    [
        ('{"a": 1, "b": {"c": 1, "c": 2}}', "'c' occurs twice"),
        ('{"a": ["x", "\\ud800"]}', "half of a surrogate pair"),
        ('{"\\udfff": 1}', "half of a surrogate pair"),
    ],
)
def test_what_nobody_can_mean(tmp_path, text, message):
    path = tmp_path / "model.json"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=message):
        read_json_object(path)


def test_whole_pairs_of_surrogates_are_characters(tmp_path):
    path = tmp_path / "model.json"
    path.write_text('{"a": "\\ud83d\\ude00"}')
    assert read_json_object(path) == {"a": "\U0001f600"}
