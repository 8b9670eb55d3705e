"""A folder of results appears whole or not at all."""

from pathlib import Path

import pytest

from isingmap.errors import OutputExistsError
from isingmap.files.whole_folder import check_folder, finished_folder, is_occupied


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("place", ["file", "file/below/it", "link"])
def test_file_in_the_way(tmp_path, place):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(OutputExistsError, match="is a file"):
        check_folder(tmp_path / place, force=True)


def test_an_occupied_folder_is_refused_and_shown_in_part(tmp_path):
    check_folder(tmp_path)
    for name in "gfedcba":
        (tmp_path / name).write_text("mine")
    with pytest.raises(OutputExistsError, match=r"holds a, b, c, d, e and 2 more\).*force=True"):
        check_folder(tmp_path)
    check_folder(tmp_path, force=True)
    assert is_occupied(tmp_path) and not is_occupied(tmp_path / "none")


def test_a_folder_named_like_a_result_is_not_ours(tmp_path):
    (tmp_path / "model.json").mkdir()
    (tmp_path / "model.json" / "thesis.txt").write_text("mine")
    with pytest.raises(OutputExistsError, match="model.json is a folder.*choose another"):
        check_folder(tmp_path, force=True, owned=["a.csv", "model.json"])
    with pytest.raises(OutputExistsError, match="is a folder"), finished_folder(tmp_path, ["model.json"]):
        pass
    assert (tmp_path / "model.json" / "thesis.txt").read_text() == "mine" and names(tmp_path) == ["model.json"]


def test_results_of_another_kind_are_not_mixed_in(tmp_path):
    (tmp_path / "other.json").write_text("theirs")
    check_folder(tmp_path, force=True, foreign={"another.json": "a fit"})
    with pytest.raises(OutputExistsError, match=r"holds a fit \(other.json\).*choose another folder"):
        check_folder(tmp_path, force=True, foreign={"other.json": "a fit"})


def test_another_run_was_faster(tmp_path):
    with pytest.raises(OutputExistsError, match="filled by another run"), finished_folder(tmp_path / "o", []) as place:
        (place / "mine.txt").write_text("mine")
        (tmp_path / "o").mkdir()
        (tmp_path / "o" / "theirs.txt").write_text("theirs")
    assert names(tmp_path) == ["o"] and names(tmp_path / "o") == ["theirs.txt"]


def test_a_new_folder_appears_when_it_is_complete(tmp_path):
    folder = tmp_path / "new" / "map"
    with finished_folder(folder, []) as place:
        (place / "a.txt").write_text("a")
        assert not folder.exists()
    assert names(folder) == ["a.txt"] and names(tmp_path / "new") == ["map"]


def test_owned_files_give_way_and_others_stay(tmp_path):
    for name in ("old.csv", "model.json", "notes.txt"):
        (tmp_path / name).write_text("old")
    with finished_folder(tmp_path, ["model.json", "old.csv", "never.csv"]) as place:
        (place / "model.json").write_text("new")
        assert (tmp_path / "model.json").read_text() == "old"
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"model.json": "new", "notes.txt": "old"}


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_failure_while_writing_leaves_the_old_folder(tmp_path, error):
    (tmp_path / "a.txt").write_text("old")
    for folder in (tmp_path, tmp_path / "new"):
        with pytest.raises(error), finished_folder(folder, ["a.txt"]) as place:
            (place / "a.txt").write_text("half")
            raise error
    assert names(tmp_path) == ["a.txt"] and (tmp_path / "a.txt").read_text() == "old"


@pytest.mark.parametrize("fails_at", range(1, 5))
def test_failure_while_moving_puts_everything_back(tmp_path, monkeypatch, fails_at):
    for name in ("edges.csv", "model.json"):
        (tmp_path / name).write_text("old")
    rename, calls = Path.rename, []

    def fragile(self, target):
        calls.append(1)
        if len(calls) == fails_at:
            raise OSError("no")
        return rename(self, target)

    with pytest.raises(OSError, match="no"), finished_folder(tmp_path, ["model.json", "edges.csv"]) as place:
        for name in ("edges.csv", "model.json"):
            (place / name).write_text("new")
        monkeypatch.setattr(Path, "rename", fragile)
    monkeypatch.undo()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "edges.csv": "old",
        "model.json": "old",
    }


@pytest.mark.parametrize("killed_at", range(1, 8))
def test_what_was_killed_half_way_comes_back(tmp_path, monkeypatch, killed_at):
    """After a kill nothing is undone; the next start does it, and also when its own undoing is killed once more."""
    for name in ("edges.csv", "gone.csv", "model.json"):
        (tmp_path / name).write_text("old")
    rename, calls = Path.rename, []

    class Killed(BaseException):
        pass

    def fragile(self, target):
        calls.append(1)
        if len(calls) >= killed_at:
            raise Killed
        return rename(self, target)

    owned = ["model.json", "edges.csv", "gone.csv", "extra.csv"]
    with pytest.raises(Killed), finished_folder(tmp_path, owned) as place:
        for name in ("edges.csv", "extra.csv", "model.json"):
            (place / name).write_text("new")
        monkeypatch.setattr(Path, "rename", fragile)
    calls[:] = [1] * (killed_at - 2)  # one rename of the undoing, then killed again
    if killed_at > 2:
        with pytest.raises(Killed):
            check_folder(tmp_path, force=True)
    monkeypatch.undo()
    check_folder(tmp_path, force=True)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == dict.fromkeys(
        ["edges.csv", "gone.csv", "model.json"], "old"
    )


def test_ctrl_c_again_while_undoing(tmp_path, monkeypatch):
    for name in ("edges.csv", "model.json"):
        (tmp_path / name).write_text("old")
    rename, calls = Path.rename, []

    def impatient(self, target):
        calls.append(1)
        if len(calls) in (4, 6):
            raise KeyboardInterrupt
        return rename(self, target)

    with pytest.raises(KeyboardInterrupt), finished_folder(tmp_path, ["model.json", "edges.csv"]) as place:
        for name in ("edges.csv", "model.json"):
            (place / name).write_text("new")
        monkeypatch.setattr(Path, "rename", impatient)
    monkeypatch.undo()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"edges.csv": "old", "model.json": "old"}
