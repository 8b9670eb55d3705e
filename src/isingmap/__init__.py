"""Planar maps of binary data: exact inference in, and learning of, planar Ising models."""

from isingmap.data.convert import as_spin_table
from isingmap.data.table import SpinTable
from isingmap.estimators import PlanarIsing
from isingmap.likelihood.fit import FitResult, fit_couplings
from isingmap.model import IsingModel
from isingmap.structure.greedy import greedy_search
from isingmap.structure.result import SearchResult

__version__ = "0.1.0"

__all__ = [
    "FitResult",
    "IsingModel",
    "PlanarIsing",
    "SearchResult",
    "SpinTable",
    "as_spin_table",
    "fit_couplings",
    "greedy_search",
]
