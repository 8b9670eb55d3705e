"""A file appears whole or not at all."""

import os
import shutil

import pytest

from isingmap.errors import ModelError, OutputExistsError
from isingmap.files.whole_file import check_file, together, write_bytes, write_text, written_text, written_whole


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_file_appears_when_the_block_ends(tmp_path):
    path = tmp_path / "x.bin"
    path.write_bytes(b"old")
    with written_whole(path) as stream:
        stream.write(b"new")
        stream.flush()
        assert path.read_bytes() == b"old" and len(names(tmp_path)) == 2
    assert path.read_bytes() == b"new" and names(tmp_path) == ["x.bin"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("writer", [written_whole, written_text])
def test_a_failure_leaves_the_old_file(tmp_path, error, writer):
    path = tmp_path / "x.bin"
    path.write_bytes(b"old")
    with pytest.raises(error), writer(path) as stream:
        stream.write(b"half" if writer is written_whole else "half")
        raise error
    assert path.read_bytes() == b"old" and names(tmp_path) == ["x.bin"]


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
@pytest.mark.parametrize(("mode", "expected"), [(0o666, 0o640), (0o600, 0o600)])
def test_who_may_read_it(tmp_path, mode, expected):
    before = os.umask(0o027)
    try:
        with written_whole(tmp_path / "x", mode=mode) as stream:
            stream.write(b"x")
    finally:
        os.umask(before)
    assert (tmp_path / "x").stat().st_mode & 0o777 == expected


def test_text_is_utf_8_with_its_own_ends_of_line(tmp_path):
    write_text(tmp_path / "x.txt", "é\r\n\n\r")
    assert (tmp_path / "x.txt").read_bytes() == b"\xc3\xa9\r\n\n\r"
    with pytest.raises(ModelError, match=r"x\.txt: cannot be written as UTF-8.*ud800.*rename"):
        write_text(tmp_path / "x.txt", "a name \ud800 of damage")
    assert (tmp_path / "x.txt").read_bytes() == b"\xc3\xa9\r\n\n\r" and names(tmp_path) == ["x.txt"]


def test_an_absent_folder_is_not_made(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_bytes(tmp_path / "absent" / "x", b"")
    assert names(tmp_path) == []


def test_taken_names_are_refused(tmp_path):
    path = tmp_path / "x.csv"
    check_file(path)
    path.write_text("mine")
    check_file(path, force=True)
    with pytest.raises(OutputExistsError, match="x.csv exists and was not overwritten.*force=True"):
        check_file(path)
    with pytest.raises(OutputExistsError, match="is a folder"):
        check_file(tmp_path, force=True)


def test_links_are_followed(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real/x").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real/x")
    write_bytes(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real/x").read_bytes() == b"new"


@pytest.mark.skipif(os.name != "posix", reason="devices and pipes")
def test_devices_and_pipes_are_written_into(tmp_path):
    check_file("/dev/null")
    write_bytes("/dev/null", b"gone")
    assert not os.path.isfile("/dev/null")
    os.mkfifo(tmp_path / "pipe")
    check_file(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_bytes(tmp_path / "pipe", b"through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert names(tmp_path) == ["pipe"]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_to_is_found_before_the_work(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError):
        check_file(tmp_path / "x")
    tmp_path.chmod(0o700)


@pytest.mark.parametrize("fails_at", [1, 2, 3])
@pytest.mark.parametrize("step", ["replace", "copy2"])
def test_files_written_together_all_appear_or_none(tmp_path, monkeypatch, fails_at, step):
    for name in "ac":
        (tmp_path / name).write_bytes(b"old")
    calls, module = [], {"replace": os, "copy2": shutil}[step]
    real = getattr(module, step)

    def fragile(source, target):
        calls.append(1)
        if len(calls) == fails_at:
            raise OSError(28, "No space left on device")
        return real(source, target)

    monkeypatch.setattr(module, step, fragile)
    if step == "copy2" and fails_at == 3:  # only two of them are there before
        fails_at = 0
    try:
        with together():
            for name in "abc":
                write_bytes(tmp_path / name, b"new")
    except OSError:
        assert fails_at and {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {"a": b"old", "c": b"old"}
    else:
        assert not fails_at and {p.name: p.read_bytes() for p in tmp_path.iterdir()} == dict.fromkeys("abc", b"new")


def test_a_failure_in_the_block_leaves_all_old_files(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(RuntimeError), together():
        write_bytes(tmp_path / "a", b"new")
        write_bytes(tmp_path / "b", b"new")
        raise RuntimeError
    assert (tmp_path / "a").read_bytes() == b"old" and names(tmp_path) == ["a"]
