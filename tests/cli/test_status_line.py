"""What is at work is said on a terminal's stderr while an answer takes long, and nowhere else."""

import io
import os
import subprocess
import sys
import time

import pytest

from isingmap import IsingModel
from isingmap.cli import status_line
from isingmap.cli.status_line import StatusLine
from isingmap.progress import at_work, progress_bar, watched_by


def seen(line: StatusLine) -> str:
    return line.stream.getvalue()


def test_what_is_slow_is_shown_at_once_and_wiped():
    line = StatusLine(io.StringIO())
    with watched_by(line):
        with at_work("doubles"):
            pass
        assert seen(line) == ""
        with at_work("balls", slow=True):
            assert seen(line) == "at work: balls"
            with at_work("90 bits"):
                assert seen(line).endswith("at work: 90 bits")
            assert seen(line).endswith("at work: balls")
        assert seen(line).endswith("\r" + " " * len("at work: balls") + "\r")


def test_what_is_fast_is_shown_when_it_takes_long(monkeypatch):
    monkeypatch.setattr(status_line, "PATIENCE", 0.01)
    line = StatusLine(io.StringIO())
    with watched_by(line), at_work("doubles"):
        for _ in range(500):
            if seen(line):
                break
            time.sleep(0.01)
        assert seen(line) == "at work: doubles"
    time.sleep(0.05)
    assert seen(line).count("doubles") == 1


def test_nobody_watches_beside_a_bar_or_without_a_watcher():
    line = StatusLine(io.StringIO())
    bar = progress_bar("edges", enabled=True)
    with at_work("balls", slow=True), watched_by(line), bar, at_work("balls", slow=True):
        pass
    assert seen(line) == ""


@pytest.fixture
def climbing(tmp_path):
    """A frustrated triangle whose couplings doubles cannot take."""
    IsingModel([(0, 1), (1, 2), (0, 2)], [1e5, 1e5, -1e5]).save(tmp_path / "m.json")
    return [sys.executable, "-m", "isingmap", "infer", str(tmp_path / "m.json")]


@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal")
def test_a_terminal_is_told_while_an_answer_climbs_and_a_file_is_not(climbing):
    plain = subprocess.run(climbing, capture_output=True, text=True, check=True)
    assert plain.stderr == ""
    ours, theirs = os.openpty()
    shown = subprocess.run(climbing, stdout=subprocess.PIPE, stderr=theirs, text=True, check=True)
    os.close(theirs)
    told = os.read(ours, 100_000).decode()
    os.close(ours)
    assert shown.stdout == plain.stdout
    assert "at work: ball arithmetic" in told and told.rstrip("\n").endswith(" \r")
