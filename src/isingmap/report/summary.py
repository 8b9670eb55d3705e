"""Summaries for the screen: lines of at most 100 columns, names with control characters escaped."""

from __future__ import annotations

from isingmap.learning.learned_map import LearnedMap
from isingmap.model import IsingModel
from isingmap.report.facts import as_text
from isingmap.report.fit_facts import fit_facts
from isingmap.report.model_facts import model_facts


def fit_summary(learned: LearnedMap) -> str:
    """What was learned from what, how well it fits, and what to know before believing it; ends with a newline."""
    return as_text("Planar Ising model", learned.title, fit_facts(learned))


def model_summary(model: IsingModel, *, title: str = "") -> str:
    """Sizes, exact numbers and strongest couplings of a model; ends with a newline."""
    return as_text("Ising model", title, model_facts(model))
