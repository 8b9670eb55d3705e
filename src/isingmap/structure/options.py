"""The settings of learning: what may be asked for, and how it is searched.

Together with `DataOptions` these dataclasses are the one table of settings (`isingmap.option` tells who reads it). To
add a setting, add a field here, and use it where it matters.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from isingmap.data.options import DataOptions
from isingmap.option import Option, check_jobs, check_options, jobs, option, options_of
from isingmap.structure.criteria import CRITERIA, CROSS_VALIDATED, EBIC_GAMMA
from isingmap.structure.families import AUTO, FAMILIES
from isingmap.structure.search_methods import SEARCHES, STEPWISE

# Searches that start again from perturbed graphs.
RESTARTED = ("forward-backward",)


def _choices(records: Iterable) -> str:
    return "; ".join(f"{record.name}: {record.help}" for record in records)


@dataclass(frozen=True, kw_only=True)
class ProblemOptions:
    """Which models come into question."""

    family: str = option(
        "planar",
        f"which fields the model may have. {_choices(FAMILIES.values())}; {AUTO}: fit all of them, take the best by "
        "the criterion, and say by how much",
        "choice",
        choices=(*FAMILIES, AUTO),
    )
    fields: str = option(
        "all",
        "with family=planar: all: every variable has a field; paying: in the end those that are not worth their price "
        "are dropped, one by one, and the rest is fitted again",
        "choice",
        choices=("all", "paying"),
        searches=STEPWISE,
    )
    prior: float | None = option(
        None,
        "add so many pseudo-observations, spread evenly over all configurations; keeps couplings finite where two "
        "columns always agree (1 is a mild choice). Without it, pairs whose coupling would be infinite are left out "
        "and listed",
        "number",
        metavar="A",
    )
    required_edges: Any = option(
        None,
        "edges that must be in the graph, (k, 2) numbers or names of columns",
        "edges",
        flag="",
        searches=STEPWISE,
    )
    graph: Any = option(
        None,
        "the graph, where it is given and not searched for: its edges, (k, 2) numbers or names of columns; on the "
        "command line a model file of any format or a list of pairs, whose couplings are not used. With "
        "family=partial also its fields: those of the model file, in Python pairs of a name and '(field)'",
        "edges",
        metavar="FILE",
    )
    required_fields: Any = option(
        None,
        "names of variables that must have a field, where the data decide which have one (family=partial, "
        "fields=paying)",
        "names",
        flag="--required-field",
        metavar="NAME",
        searches=STEPWISE,
    )
    max_width: int | None = option(
        None,
        "with family=planar: pass over pairs that would make the graph wider than so many variables, the largest set "
        "that eliminating them one by one has to keep together; each 1 more can take twice the time and memory, up to "
        "26, where tables fill 1 GiB. By default what takes 10 ms for one of many evaluations, a width of 17 to 21",
        "whole",
        least=1,
        most=26,
        metavar="W",
        searches=STEPWISE,
    )


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """How the graph is chosen; the same options give the same result.

    Raises
    ------
    ModelError
        Naming the setting, what it may be and what was given.
    """

    criterion: str = option(
        "ebic",
        f"what a parameter must gain to be worth it. {_choices(CRITERIA.values())}; {CROSS_VALIDATED}: "
        "the criterion and gamma, with family=auto also the family, that predict held-out rows best, or the simplest "
        "about as good",
        "choice",
        choices=(*CRITERIA, CROSS_VALIDATED),
        steers=STEPWISE,
    )
    search: str = option(
        "forward-backward",
        f"how the graph is chosen. {_choices(SEARCHES.values())}",
        "choice",
        choices=tuple(SEARCHES),
    )
    gamma: float = option(
        EBIC_GAMMA,
        "strictness of criterion=ebic, from 0 (bic) to 1; as in IsingFit",
        "number",
        least=0.0,
        most=1.0,
        metavar="G",
    )
    n_folds: int = option(
        10,
        "with criterion=cv: into how many parts the rows are divided, each held out once",
        "whole",
        least=2,
        flag="--folds",
        metavar="N",
    )
    min_gain: float | None = option(
        None,
        "also stop when the best edge gains less than so many nats per row (the gamma of the paper)",
        "number",
        metavar="G",
        searches=STEPWISE,
    )
    n_edges: int | None = option(
        None, "also stop at so many couplings", "whole", least=0, metavar="N", searches=STEPWISE
    )
    n_candidates: int | None = option(
        None,
        "consider only pairs whose |moment| is among so many largest of one of its variables, an approximation that "
        "the result states; by default all pairs up to 2000 variables, 50 above",
        "whole",
        least=1,
        python="",
        flag="",
        searches=STEPWISE,
    )
    n_restarts: int | None = option(
        None,
        "search=forward-backward ends when so many perturbed restarts in a row found nothing better; by default 30 up "
        "to 20 variables, 12 up to 50, else 0",
        "whole",
        least=0,
        flag="--restarts",
        metavar="N",
        searches=RESTARTED,
    )
    temperature: float = option(
        0.0,
        "annealing over the restarts: one may end so many nats (log-likelihood less the price) below the one before, "
        "in the mean, and still be the next to be perturbed; falls to 0 as they fail; the best of all is returned",
        "number",
        least=0.0,
        python="",
        flag="",
        searches=RESTARTED,
    )
    seed: Any = option(
        0,
        "seed of the restarts; the same seed gives the same result",
        "seed",
        python="random_state",
        flag="--seed",
        metavar="N",
        steers=RESTARTED,
    )
    n_jobs: int | None = jobs("restarts side by side", searches=RESTARTED)
    checkpoint: Any = option(
        None,
        "file that keeps a long search, written every 20 seconds and removed in the end; the same call or command goes "
        "on from it after a crash, to the same result bit by bit",
        "path",
        metavar="FILE",
        searches=STEPWISE,
        shapes_result=False,
    )
    audit_every: int | None = option(
        None,
        "debug mode: after so many steps compute everything that is carried along again from nothing, and raise an "
        "error if it differs; slow",
        "whole",
        least=1,
        python="",
        flag="",
        searches=STEPWISE,
        shapes_result=False,
    )

    keeps_checkpoint: bool = False  # also when the search is over, because it is one of several

    def __post_init__(self) -> None:
        check_options(self)
        check_jobs(self.n_jobs)

    def restarted_if_asked(self) -> SearchOptions:
        """The same without restarts, unless their number was given: for many searches, none of which is the result."""
        by_default = self.n_restarts is None and self.search in RESTARTED
        return replace(self, n_restarts=0) if by_default else self


@dataclass(frozen=True, kw_only=True)
class UncertaintyOptions:
    """How the uncertainty of couplings and fields is told; the model is the same with all of them.

    Raises
    ------
    ModelError
        Naming the setting, what it may be and what was given.
    """

    errors: str = option(
        "model",
        "standard errors. model: from the exact Fisher information, right if the model is; robust: from how much the "
        "rows differ (sandwich), right also where it is not. They are always robust where rows come in clusters, and "
        "for weight_kind=survey",
        "choice",
        choices=("model", "robust"),
    )
    intervals: str = option(
        "auto",
        "95 % intervals. wald: 1.96 standard errors to both sides; profile: all values that a likelihood-ratio test "
        "does not reject, by exact refits, which take their time; auto: profile where a cell of the pair's table holds "
        "fewer than 10 rows, else wald",
        "choice",
        choices=("auto", "wald", "profile"),
    )

    def __post_init__(self) -> None:
        check_options(self)


# What the moments that a model is fitted to depend on, beside the rows; model.json has them for who compares.
MOMENT_SETTINGS = ("missing", "weight_kind", "prior")

# Every setting of learning, in the order in which they are shown.
OPTIONS: tuple[Option, ...] = (
    *options_of(ProblemOptions),
    *options_of(SearchOptions),
    *options_of(UncertaintyOptions),
    *options_of(DataOptions),
)
