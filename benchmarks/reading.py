"""Time and memory of reading large tables, beside pandas where it is installed.

    python benchmarks/reading.py [--rows 1000000] [--columns 30] [--repeats 3]

Each reading is a process of its own. Time is processor time of the call, the best of the repeats; memory is the peak
above that of the process before the call, as a multiple of the file's size.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

BODY = """
import resource, sys, time
{imports}
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
before, start = peak(), time.process_time()
{call}
print(time.process_time() - start, peak() - before)
"""
READERS = {
    "isingmap": ("from isingmap.io.csv_table import read_table", "read_table(sys.argv[1], id_column=sys.argv[2:])"),
    "pandas": ("import pandas", "pandas.read_csv(sys.argv[1])"),
}
LABELS = {"0/1": ("0", "1"), "words": ("No", "Yes", "NA"), "quoted words": ('"No"', '"Yes"', '"NA"')}


def write_table(path: Path, labels: tuple[str, ...], n_rows: int, n_columns: int) -> None:
    """A table with a column `id` unless the labels are numbers."""
    rng = np.random.default_rng(0)
    ids = len(labels) > 2
    shares = (0.5, 0.5) if len(labels) == 2 else (0.5, 0.49, 0.01)
    with open(path, "w") as stream:
        stream.write(",".join((["id"] if ids else []) + [f"q{j}" for j in range(n_columns)]) + "\n")
        for start in range(0, n_rows, 10_000):
            cells = np.array(labels)[rng.choice(len(labels), (min(10_000, n_rows - start), n_columns), p=shares)]
            for k, row in enumerate(cells.tolist(), start):
                stream.write(",".join([f"p{k:07d}", *row] if ids else row) + "\n")


def measured(reader: str, path: Path, ids: list[str], repeats: int) -> tuple[float, float] | None:
    """Seconds and bytes of a reading; None where the reader is not installed."""
    imports, call = READERS[reader]
    script = BODY.format(imports=imports, call=call)
    found = []
    for _ in range(repeats):
        run = subprocess.run([sys.executable, "-c", script, path, *ids], capture_output=True, text=True, check=False)
        if run.returncode:
            return None
        found.append([float(text) for text in run.stdout.split()])
    return min(took for took, _ in found), max(peak for _, peak in found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--columns", type=int, default=30)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    print("| cells | MB | isingmap, s | memory / file | pandas, s | memory / file | time / pandas |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for title, labels in LABELS.items():
            path = Path(folder) / "table.csv"
            write_table(path, labels, arguments.rows, arguments.columns)
            size = os.path.getsize(path)
            ids = ["id"] if len(labels) > 2 else []
            ours = measured("isingmap", path, ids, arguments.repeats)
            theirs = measured("pandas", path, ids, arguments.repeats)
            assert ours is not None
            cells = [title, f"{size / 1e6:.0f}", f"{ours[0]:.2f}", f"{ours[1] / size:.1f}"]
            if theirs is not None:
                cells += [f"{theirs[0]:.2f}", f"{theirs[1] / size:.1f}", f"{ours[0] / theirs[0]:.1f}"]
            print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
