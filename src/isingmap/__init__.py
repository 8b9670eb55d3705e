"""Planar maps of binary data: exact inference in, and learning of, planar Ising models."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from isingmap.notebooks import set_renderer

__version__ = "0.1.0"

if TYPE_CHECKING:
    from isingmap.comparing.compare import compare
    from isingmap.comparing.comparison import Comparison
    from isingmap.data.accumulator import MomentAccumulator
    from isingmap.data.convert import as_spin_table
    from isingmap.data.table import SpinTable
    from isingmap.learning.planar_ising import PlanarIsing
    from isingmap.likelihood.fit import FitResult, fit_couplings
    from isingmap.model import IsingModel
    from isingmap.structure.learn import greedy_search, learn_structure
    from isingmap.structure.options import SearchOptions
    from isingmap.structure.problem import Problem
    from isingmap.structure.result import SearchResult

# Loaded at first use: numba and SciPy take half a second, which `isingmap --version` should not pay.
_HOME = {
    "Comparison": "isingmap.comparing.comparison",
    "FitResult": "isingmap.likelihood.fit",
    "IsingModel": "isingmap.model",
    "MomentAccumulator": "isingmap.data.accumulator",
    "PlanarIsing": "isingmap.learning.planar_ising",
    "Problem": "isingmap.structure.problem",
    "SearchOptions": "isingmap.structure.options",
    "SearchResult": "isingmap.structure.result",
    "SpinTable": "isingmap.data.table",
    "as_spin_table": "isingmap.data.convert",
    "compare": "isingmap.comparing.compare",
    "fit_couplings": "isingmap.likelihood.fit",
    "greedy_search": "isingmap.structure.learn",
    "learn_structure": "isingmap.structure.learn",
}

__all__ = [
    "Comparison",
    "FitResult",
    "IsingModel",
    "MomentAccumulator",
    "PlanarIsing",
    "Problem",
    "SearchOptions",
    "SearchResult",
    "SpinTable",
    "as_spin_table",
    "compare",
    "fit_couplings",
    "greedy_search",
    "learn_structure",
]


def _html_of(found: object) -> str:
    """What notebooks show, drawn by a part that is only loaded there."""
    return import_module("isingmap.report.page.notebook").html_of(found)


set_renderer(_html_of)


def __getattr__(name: str):
    if name not in _HOME:
        raise AttributeError(f"module 'isingmap' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
