"""isingmap fit of files that are large, which is made to mean a few kB here."""

import json

import numpy as np
import pytest

from isingmap.io import by_column, delimited, table_in_parts


@pytest.mark.parametrize("missing", ["drop", "pairwise"])
def test_a_large_file_is_fitted_in_parts_to_the_same_files(run, tmp_path, monkeypatch, missing):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, (2000, 4))
    x[:, 1] = np.where(rng.random(2000) < 0.9, x[:, 0], 1 - x[:, 0])
    cells = np.where(rng.random(x.shape) < 0.01, "", x.astype(str))
    table = tmp_path / "t.csv"
    table.write_text("a,b,c,d\n" + "".join(",".join(row) + "\n" for row in cells.tolist()))
    code, whole, _ = run("fit", table, "--missing", missing, "-o", tmp_path / "whole")
    assert code == 0
    monkeypatch.setattr(delimited, "_LARGE", 5000)
    monkeypatch.setattr(by_column, "_BLOCK", 3000)
    monkeypatch.setattr(table_in_parts, "LARGE", 5000)
    monkeypatch.setattr("isingmap.io.csv_table.read_large", None)  # nobody reads it at once
    code, parts, _ = run("fit", table, "--missing", missing, "-o", tmp_path / "parts")
    assert code == 0
    for name in ("model.json", "edges.csv", "nodes.csv"):
        first, second = ((tmp_path / folder / name).read_text() for folder in ("whole", "parts"))
        if name == "model.json":
            first, second = (json.loads(text.replace("whole", "parts")) for text in (first, second))
            if missing == "drop":  # sums of complete rows say nothing of the others
                first["facts"] = [fact for fact in first["facts"] if fact["section"] != "Missing cells"]
        assert first == second
