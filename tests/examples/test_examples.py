"""Every example runs as its first line says, and prints the facts it is there to show."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SENATE = ROOT.parent / "shared" / "data" / "senate111"


def run(name, folder):
    """Output of `python examples/NAME --quick`; fails on any error or warning on the way."""
    command = [sys.executable, "-W", "error", f"examples/{name}.py", "--quick", "--out", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def assert_drawn(folder, *names):
    for name in names:
        assert (folder / name).stat().st_size > 5_000


def rows(text):
    """Table lines as (samples, perfect, models, missing, spurious, KL)."""
    pattern = r"^ *(\d+|exact) +(\d+) of (\d+) +([\d.]+) +([\d.]+) +(-?[\d.]+)$"
    return {m[0]: tuple(map(float, m[1:])) for m in re.findall(pattern, text, re.MULTILINE)}


def test_counterexample(tmp_path):
    text = run("counterexample", tmp_path)
    path = re.findall(r"^ +\d+  (\w-\w) +([\d.]+)", text, re.MULTILINE)
    assert [edge for edge, _ in path[:7]] == ["a-e", "a-b", "a-c", "a-d", "b-e", "c-e", "d-e"]
    assert {edge for edge, _ in path[7:]} < {"b-c", "b-d", "c-d"}
    gains = [float(gain) for _, gain in path]
    expected = [0.618706] + [0.598276] * 3 + [0.003431] * 3 + [0.0000141825] * 2
    assert gains == pytest.approx(expected, abs=6e-7)
    assert gains[7:] == pytest.approx([0.0000141825] * 2, abs=1e-10)
    assert re.search(r"^a-e +- +-0\.0416$", text, re.MULTILINE)
    assert "stopped: no further pair can be added" in text
    assert_drawn(tmp_path, "counterexample.png", "counterexample.pdf")


def test_grid(tmp_path):
    table = rows(run("grid", tmp_path))
    assert list(table) == ["1000", "10000", "100000", "exact"]
    perfect, models, missing, spurious, divergence = table["100000"]
    assert perfect == models == 2
    assert missing == spurious == 0
    assert 0 < divergence < 0.001
    assert table["exact"][0] == 2
    assert table["exact"][4] == pytest.approx(0, abs=1e-4)
    assert 1 <= table["1000"][2] < 10
    assert table["1000"][4] > 0.02
    assert_drawn(tmp_path, "grid.png", "grid.pdf")


def test_outer_planar(tmp_path):
    by_count, by_bic = (rows(part) for part in run("outer_planar", tmp_path).split("search stopped by BIC", maxsplit=1))
    assert list(by_count) == ["1000", "10000", "100000", "exact"]
    assert list(by_bic) == ["1000", "10000", "100000"]
    assert by_count["exact"] == pytest.approx((2, 2, 0, 0, 0), abs=1e-4)
    assert by_count["1000"][0] == 0
    assert by_count["10000"][0] >= 1
    assert by_bic["1000"][2] > by_bic["100000"][2]
    assert by_bic["1000"][4] > 10 * by_bic["100000"][4]
    assert_drawn(tmp_path, "outer_planar.png", "outer_planar.pdf")


@pytest.mark.skipif(not SENATE.is_dir(), reason="needs ../shared/data/senate111")
def test_senate111(tmp_path):
    text = run("senate111", tmp_path)
    assert "96 senators (56 D, 1 I, 39 R), 696 roll calls" in text
    steps = dict(re.findall(r"^ +(\d+)  (\S+ - \S+) ", text, re.MULTILINE))
    pairs = {int(step): frozenset(edge.split(" - ")) for step, edge in steps.items()}
    assert pairs == {
        1: {"Crapo", "Risch"},
        2: {"Barrasso", "Enzi"},
        3: {"Cardin", "Schumer"},
        4: {"Reed", "Schumer"},
        5: {"Akaka", "Reed"},
        85: {"Durbin", "Coburn"},
    }
    assert re.search(r"1  Crapo - Risch +0\.6241", text)
    for name in ("Sanders", "Lieberman"):
        assert re.search(rf"{name} +\d+ neighbours: \d+ D$", text, re.MULTILINE)
    assert_drawn(tmp_path, "senate111-start-planar.png", "senate111-start-kamada-kawai.png")


def test_senate111_without_data(tmp_path):
    """A copy of the examples away from the data says what is missing, and is not an error."""
    copy = tmp_path / "repo" / "examples"
    copy.mkdir(parents=True)
    for name in ("senate111.py", "command_line.py"):
        (copy / name).write_text((ROOT / "examples" / name).read_text())
    done = subprocess.run(
        [sys.executable, str(copy / "senate111.py"), "--out", str(tmp_path / "out")],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "no data in" in done.stdout
    assert not (tmp_path / "out").exists()
