"""All benchmarks of this folder with settings that take minutes, one after the other.

python benchmarks/run.py [NAME ...]     e.g. inference certified; default: all
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
# Others run with their own defaults.
SHORT = {
    "baselines": "--largest 300",
    "certified": "--largest 32",
    "ground_state": "10 32 100",
    "inference": "--largest 10000",
}


def run(name: str) -> bool:
    """Whether the benchmark ended without an error."""
    command = [sys.executable, str(FOLDER / f"{name}.py"), *shlex.split(SHORT.get(name, ""))]
    print(f"\n=== benchmarks/{name}.py {SHORT.get(name, '')}", flush=True)
    start = time.perf_counter()
    status = subprocess.run(command).returncode
    print(f"=== {time.perf_counter() - start:.0f} s" + (f", failed with status {status}" if status else ""), flush=True)
    return status == 0


def main(names: list[str]) -> int:
    known = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "run")
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"no benchmark {', '.join(unknown)}; there are {', '.join(known)}")
    failed = [name for name in names or known if not run(name)]
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
