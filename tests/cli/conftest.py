"""The command line run in-process, and small tables for it."""

from pathlib import Path

import numpy as np
import pytest

from isingmap.cli.main import main

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.fixture
def run(capsys):
    """Run the command line; returns (exit code, stdout, stderr) and insists that no traceback is shown."""

    def run_command(*arguments) -> tuple[int, str, str]:
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.out + captured.err
        return code, captured.out, captured.err

    return run_command


@pytest.fixture
def real():
    """Path of a real file in ../shared/data; the test is skipped where that folder is absent."""

    def find(name: str) -> Path:
        if not (SHARED / name).exists():
            pytest.skip(f"real data not at hand: {SHARED / name}")
        return SHARED / name

    return find


def pairs_table(names, n_rows=400, seed=0) -> str:
    """CSV of 0/1 columns; each column after the first copies the one before it nine times out of ten."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 2, (n_rows, len(names)))
    for j in range(1, len(names)):
        x[:, j] = np.where(rng.random(n_rows) < 0.9, x[:, j - 1], x[:, j])
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    return "\n".join([",".join(quoted), *(",".join(map(str, row)) for row in x.tolist())]) + "\n"


@pytest.fixture
def pairs():
    """The function that makes the text of a table."""
    return pairs_table


@pytest.fixture
def table(tmp_path):
    """Path of a well-behaved table of four variables."""
    path = tmp_path / "table.csv"
    path.write_text(pairs_table(["a", "b", "c", "d"]))
    return path
