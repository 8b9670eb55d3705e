"""Where the real files are: beside the project, never in it."""

from pathlib import Path

import pytest


@pytest.fixture
def shared_data():
    """Path of a real file in ../shared/data; the test is skipped where that folder is absent."""
    root = Path(__file__).resolve().parents[3] / "shared" / "data"

    def find(name: str) -> Path:
        path = root / name
        if not path.exists():
            pytest.skip(f"real data not at hand: {path}")
        return path

    return find


@pytest.fixture
def write(tmp_path):
    """Write text or bytes to a file of the test's own folder and return its path."""

    def write_file(content: str | bytes, name: str = "table.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file
