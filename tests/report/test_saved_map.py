"""A map that is drawn again from its model.json is the same picture."""

import json

import numpy as np
import pytest

from isingmap import IsingModel, PlanarIsing
from isingmap.errors import FileFormatError, ModelError
from isingmap.report.results import write_results
from isingmap.report.saved_map import draw_saved_map, read_positions


def data(n_columns=6, seed=0):
    rng = np.random.default_rng(seed)
    return np.sign(rng.normal(size=(300, n_columns)) @ rng.normal(size=(n_columns, n_columns)) + 1.5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    learned = PlanarIsing().fit(data()).learned_
    assert learned.model.n_edges and learned.model.free_fields.any()
    return write_results(learned, tmp_path_factory.mktemp("saved") / "map", title="first", groups=list("ababab"))


def test_second_picture_has_the_bytes_of_the_first(folder, tmp_path):
    pictures = [tmp_path / "again.svg", tmp_path / "again.png"]
    positions = draw_saved_map(folder / "model.json", pictures)
    for picture in pictures:
        assert picture.read_bytes() == (folder / f"map{picture.suffix}").read_bytes()
    assert positions == read_positions(folder / "model.json")


def test_stored_positions_are_used_and_not_found_again(folder, tmp_path):
    document = json.loads((folder / "model.json").read_text())
    document["positions"] = {name: [k % 3, k // 3] for k, name in enumerate(document["names"])}
    (tmp_path / "moved.json").write_text(json.dumps(document))
    positions = draw_saved_map(tmp_path / "moved.json", tmp_path / "moved.svg")
    assert positions["x5"] == (1.0, 1.0)
    assert (tmp_path / "moved.svg").read_bytes() != (folder / "map.svg").read_bytes()


def test_another_fit_in_the_places_of_the_first(folder, tmp_path):
    places = read_positions(folder / "model.json")
    fewer = (
        PlanarIsing(family="zero-field", criterion="aic", prior=1)
        .fit_moments(data().T[:4] @ data()[:, :4] / 300, 300)
        .learned_
    )
    second = write_results(fewer, tmp_path / "map", places=places)
    assert read_positions(second / "model.json") == places  # of all six: the sheet is the same
    draw_saved_map(second / "model.json", tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_bytes() == (second / "map.svg").read_bytes()


def test_a_bare_model_is_laid_out_anew(folder, tmp_path):
    model = IsingModel.load(folder / "model.json")
    model.save(tmp_path / "bare.json")
    assert draw_saved_map(tmp_path / "bare.json", tmp_path / "bare.svg") == read_positions(folder / "model.json")
    with pytest.raises(FileFormatError, match='"positions", got None'):
        read_positions(tmp_path / "bare.json")


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"positions": [[0, 0]]}, FileFormatError, r'expected {name: \[x, y\]} under "positions"'),
        ({"positions": {"x1": [0]}}, FileFormatError, "position of 'x1' must be two numbers"),
        ({"positions": {"x1": [0, True]}}, FileFormatError, "position of 'x1' must be two numbers"),
        ({"positions": {"x1": [0, 1]}}, ModelError, "no place for 5 variables of 6"),
        ({"fit": []}, FileFormatError, 'object under "fit"'),
        ({"fit": {"groups": "ab"}}, FileFormatError, 'list under "groups"'),
        ({"fit": {"groups": ["a"]}}, FileFormatError, "one entry for each of the 6"),
    ],
)
def test_damaged_files_are_refused(folder, tmp_path, change, error, message):
    document = json.loads((folder / "model.json").read_text()) | change
    (tmp_path / "bad.json").write_text(json.dumps(document))
    with pytest.raises(error, match=message):
        draw_saved_map(tmp_path / "bad.json", tmp_path / "bad.svg")
    assert not (tmp_path / "bad.svg").exists()


def test_another_title_and_other_places(folder, tmp_path):
    places = {name: (float(k), float(k % 2)) for k, name in enumerate(IsingModel.load(folder / "model.json").names)}
    positions = draw_saved_map(folder / "model.json", tmp_path / "m.svg", title="second", places=places)
    assert positions == places and "second" in (tmp_path / "m.svg").read_text(encoding="utf-8")
    with pytest.raises(ModelError, match="no place for 6 variables of 6: x1, "):
        draw_saved_map(folder / "model.json", tmp_path / "m.svg", places={"other": (0.0, 0.0)})
