"""How a graph can be chosen: the searches, each one record.

A search lives in a module with a function `search(problem, options, progress)` that returns a SearchResult. The list
names the modules and imports none: `learn_structure` loads the one that is asked for, and the command line can read the
names quickly.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SearchMethod:
    """A way to choose the graph.

    Attributes
    ----------
    name : str
    meaning : str
        For the summary.
    help : str
        For whoever chooses.
    home : str
        The module that holds its function `search`.
    goes_step_by_step : bool
        Whether it has steps, which can be limited, kept in a checkpoint and audited.
    """

    name: str
    meaning: str
    help: str
    home: str
    goes_step_by_step: bool = False


SEARCHES = {
    method.name: method
    for method in (
        SearchMethod(
            "forward-backward",
            "forward-backward: edges are added, removed and swapped by their exact effect",
            "add, remove and swap edges by their exact effect, and restart from perturbed graphs",
            "isingmap.structure.searches.forward_backward",
            goes_step_by_step=True,
        ),
        SearchMethod(
            "greedy",
            "greedy, as in the paper: an edge once added stays",
            "the paper's, which never takes an edge back",
            "isingmap.structure.searches.greedy",
            goes_step_by_step=True,
        ),
        SearchMethod(
            "chow-liu",
            "Chow-Liu: the best tree",
            "for comparison, the exact fit on the best tree",
            "isingmap.structure.fixed_graphs.tree",
        ),
        SearchMethod(
            "tmfg",
            "TMFG: triangulated maximally filtered graph of |moments|, of |correlations| where all have fields",
            "for comparison, the exact fit on the triangulated maximally filtered graph",
            "isingmap.structure.fixed_graphs.tmfg",
        ),
        SearchMethod(
            "pmfg",
            "PMFG: planar maximally filtered graph of |moments|, of |correlations| where all have fields",
            "for comparison, the exact fit on the planar maximally filtered graph",
            "isingmap.structure.fixed_graphs.pmfg",
        ),
        SearchMethod(
            "independent",
            "none: no edges",
            "for comparison, no edges",
            "isingmap.structure.fixed_graphs.independent",
        ),
    )
}
STEPWISE = tuple(name for name, method in SEARCHES.items() if method.goes_step_by_step)
