"""The folder of results appears whole or not at all."""

import json
import os

import numpy as np
import pytest

from isingmap import IsingModel, PlanarIsing
from isingmap.errors import OutputExistsError
from isingmap.files.whole_folder import check_folder
from isingmap.report.results import RESULTS, ResultFiles, result_names, write_results


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, (200, 3))
    x[:, 1] = np.where(rng.random(200) < 0.9, x[:, 0], x[:, 1])
    return PlanarIsing(family="zero-field").fit(x).learned_


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_write_and_load(fitted, tmp_path):
    folder = write_results(fitted, tmp_path / "new" / "map", title="a table", command="isingmap fit", groups=["g"] * 3)
    model = IsingModel.load(folder / "model.json")
    np.testing.assert_array_equal(model.couplings, fitted.model.couplings)
    fit = json.loads((folder / "model.json").read_text())["fit"]
    assert fit["title"] == "a table" and fit["groups"] == ["g"] * 3 and fit["labels"] == [["0", "1"]] * 3
    assert fit["log_likelihood"] == fitted.result.log_likelihood and "family='zero-field'" in fit["settings"]
    assert "excluded.csv" not in names(folder) and names(tmp_path) == ["new"] and names(tmp_path / "new") == ["map"]
    if os.name == "posix":
        umask = os.umask(0)
        os.umask(umask)
        assert folder.stat().st_mode & 0o777 == 0o777 & ~umask


def test_each_file_has_one_owner():
    assert len(set(result_names())) == len(result_names())


def test_a_page_is_added_by_one_record(fitted, tmp_path, monkeypatch):
    def write_page(learned, path):
        path.write_text(f"{learned.title}: {learned.model.n_edges}")

    page = ResultFiles(("page.html",), write_page)
    never = ResultFiles(("never.html",), write_page, wanted=lambda learned: False)
    monkeypatch.setattr("isingmap.report.results.RESULTS", (*RESULTS, page, never))
    folder = write_results(fitted, tmp_path / "map", title="t")
    assert (folder / "page.html").read_text() == f"t: {fitted.model.n_edges}"
    assert not (folder / "never.html").exists()
    (folder / "never.html").write_text("old")
    write_results(fitted, folder, force=True)
    assert "page.html" in names(folder) and "never.html" not in names(folder)


def test_the_same_input_gives_the_same_bytes(fitted, tmp_path):
    one, two = (write_results(fitted, tmp_path / name) for name in ("one", "two"))
    assert names(one) == names(two)
    for name in names(one):
        assert (one / name).read_bytes() == (two / name).read_bytes()


def test_kamada_kawai_layout(fitted, tmp_path):
    planar = write_results(fitted, tmp_path / "one")
    other = write_results(fitted, tmp_path / "two", layout="kamada-kawai")
    assert (planar / "map.svg").read_bytes() != (other / "map.svg").read_bytes()


def test_occupied_folder_is_refused_before_and_after_the_work(fitted, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    for call in (lambda: check_folder(tmp_path), lambda: write_results(fitted, tmp_path)):
        with pytest.raises(OutputExistsError, match=r"not empty \(it holds mine.txt\)"):
            call()
    assert names(tmp_path) == ["mine.txt"]


def test_empty_folder_and_current_folder(fitted, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_results(fitted, ".")
    assert "model.json" in names(tmp_path) and not [name for name in names(tmp_path) if name.startswith(".")]


def test_force_replaces_results_and_nothing_else(fitted, tmp_path):
    for name in ("model.json", "excluded.csv", "notes.txt"):
        (tmp_path / name).write_text("old")
    write_results(fitted, tmp_path, force=True)
    assert "excluded.csv" not in names(tmp_path) and (tmp_path / "notes.txt").read_text() == "old"
    assert IsingModel.load(tmp_path / "model.json").n_spins == 3
    assert not [name for name in names(tmp_path) if name.startswith(".")]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("force", [False, True])
def test_failure_while_writing_leaves_the_old_result(fitted, tmp_path, monkeypatch, error, force):
    folder = tmp_path / "map"
    if force:
        write_results(fitted, folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()} if force else {}

    def fail(*args, **options):
        raise error

    monkeypatch.setattr("isingmap.report.results.fit_summary", fail)
    with pytest.raises(error):
        write_results(fitted, folder, force=force)
    assert folder.exists() == force
    assert before == ({path.name: path.read_bytes() for path in folder.iterdir()} if force else {})
    assert names(tmp_path) == (["map"] if force else [])
