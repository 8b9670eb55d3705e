"""What every example takes on its command line, and where its figures go."""

from __future__ import annotations

import argparse
from pathlib import Path

from matplotlib.figure import Figure
from threadpoolctl import threadpool_limits


def arguments(description: str) -> argparse.Namespace:
    """Parse --out and --quick, and settle the linear algebra on one thread."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--out", type=Path, default=Path("example-output"), help="folder for the figures")
    parser.add_argument("--quick", action="store_true", help="the smallest run that still shows the point")
    threadpool_limits(1)  # the matrices here are too small to share out between threads
    return parser.parse_args()


def save(figure: Figure, folder: Path, name: str) -> None:
    """Write a figure as PNG and as PDF."""
    folder.mkdir(parents=True, exist_ok=True)
    for suffix in (".png", ".pdf"):
        figure.savefig(folder / (name + suffix), dpi=200)
    print(f"figure: {folder / name}.png, .pdf")
