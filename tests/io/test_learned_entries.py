"""Damage beside the model of a model.json is named, and nothing is read from it."""

import json

import pytest

from isingmap import IsingModel
from isingmap.io.model_file import read_model_file

FIT = {"title": "t", "labels": [["no", "yes"], ["0", "1"]], "groups": ["A", "B"], "n_samples": 9.0}
PLACES = {"a": [0.0, 1], "b": [1, 2.5], "c": [0, 0]}


@pytest.fixture
def saved(tmp_path):
    """Write a model.json with such entries and return its path."""
    path = tmp_path / "model.json"
    IsingModel([(0, 1)], [0.5], names=["a", "b"]).save(path)

    def save(**entries):
        path.write_text(json.dumps(json.loads(path.read_text()) | entries))
        return path

    return save


def test_what_is_sound_is_kept(saved):
    file = read_model_file(saved(fit=FIT, positions=PLACES, facts=[], other=1))
    assert file.record == {"fit": FIT, "positions": PLACES, "facts": [], "other": 1} and not file.notes
    assert not read_model_file(saved(fit={"labels": [], "groups": None})).notes


@pytest.mark.parametrize(
    ("entries", "damaged"),
    [
        ({"fit": 7}, '"fit"'),
        ({"facts": {}}, '"facts"'),
        ({"positions": [1, 2]}, '"positions"'),
        ({"positions": {"a": [0, 0]}}, '"positions"'),
        ({"positions": {"a": [0, 0], "b": [1]}}, '"positions"'),
        ({"positions": {"a": [0, 0], "b": [1, True]}}, '"positions"'),
        ({"fit": FIT | {"labels": [["0", "1"]]}}, '"labels" of "fit"'),
        ({"fit": FIT | {"labels": [["1", "1"]] * 2}}, '"labels" of "fit"'),
        ({"fit": FIT | {"labels": [[0, 1]] * 2}}, '"labels" of "fit"'),
        ({"fit": FIT | {"groups": "AB"}}, '"groups" of "fit"'),
        ({"fit": FIT | {"n_samples": "9"}}, '"n_samples" of "fit"'),
    ],
)
def test_what_is_damaged_is_named_and_left_out(saved, entries, damaged):
    file = read_model_file(saved(**entries))
    assert file.notes == (f"Beside the model, which is whole, 1 entry is damaged and ignored: {damaged}.",)
    assert file.model.names == ("a", "b")
    assert damaged.split('"')[1] not in {**file.record, **file.record.get("fit", {})}


def test_the_commands_say_so(saved, capsys):
    from isingmap.cli.main import main

    path = saved(fit=7, positions=[1])
    for command in (["infer"], ["info"]):
        assert main([*command, str(path)]) == 0
        assert '2 entries are damaged and ignored: "fit", "positions".' in " ".join(capsys.readouterr().out.split())
    assert main(["draw", str(path), "-o", str(path.with_suffix(".svg"))]) == 2
