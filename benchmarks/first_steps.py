"""What a newcomer waits for: processor time and seconds of a few commands, at the first use and afterwards.

    python benchmarks/first_steps.py [--runs 3]

The first use has an empty folder for compiled functions (NUMBA_CACHE_DIR); later runs are the fastest of several.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

NAMES = ("avoid", "dreams", "startle", "numb", "sleep", "anger")
COMMANDS = {
    "a fit of 6 columns, 350 rows": "fit six.csv -o map --force --quiet",
    "info of that map": "info map/model.json",
    "infer that map": "infer map/model.json",
    "the demo": "demo -o demo --force --quiet",
}


def six_columns(path: Path) -> None:
    """Answers that share one cause."""
    rng = np.random.default_rng(1)
    cells = rng.normal(size=(350, len(NAMES))) + rng.normal(size=(350, 1)) > 0
    np.savetxt(path, cells, "%d", ",", header=",".join(NAMES), comments="")


def took(command: str, folder: Path) -> tuple[float, float]:
    """Processor time, also of processes that it starts, and seconds by the clock."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "compiled")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed has its bytecode: that is half a second
    before, start = os.times(), time.perf_counter()
    line = [sys.executable, "-m", "isingmap", *command.split()]
    subprocess.run(line, cwd=folder, env=environment, check=True, capture_output=True)
    after = os.times()
    of_children = after.children_user - before.children_user + after.children_system - before.children_system
    return of_children, time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    n_runs = parser.parse_args().runs
    print(f"{'':30}{'first use':>20}{'afterwards':>20}\n{'':30}" + 2 * f"{'processor':>12}{'clock':>8}")
    for name, command in COMMANDS.items():
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            six_columns(folder / "six.csv")
            if "map" in command and not command.startswith("fit"):
                took(COMMANDS["a fit of 6 columns, 350 rows"], folder)
            first = took(command, folder)
            later = [min(times) for times in zip(*(took(command, folder) for _ in range(n_runs)), strict=True)]
        print(f"{name:30}" + "".join(f"{cpu:11.1f}s{clock:7.1f}s" for cpu, clock in (first, later)), flush=True)


if __name__ == "__main__":
    main()
