"""Summaries for the screen: of a fitted estimator, and of a model that was read from a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import entr

from isingmap.data.table import counted
from isingmap.errors import NonPlanarError, PrecisionError
from isingmap.inference.extended import ExtendedGraph
from isingmap.likelihood.fit import standard_errors
from isingmap.planar.embedding import is_planar
from isingmap.report.text import entry, printable, section, shortened, some
from isingmap.structure.result import SearchResult

if TYPE_CHECKING:
    from isingmap.estimators import PlanarIsing
    from isingmap.model import IsingModel

MOST_SHOWN = 8
CONVENTION = (
    "P(x) = exp(sum h_i x_i + sum J_ij x_i x_j) / Z with every x_i -1 or +1. Coupling J > 0: the two tend to "
    "agree, all others held fixed; J < 0: to disagree. Field h > 0: leans to +1. Log-likelihoods, gains and "
    "entropies are in nats."
)
FAMILIES = {
    "partial": "fields and couplings were chosen in competition",
    "zero-field": "no fields; every variable is taken for a fair coin",
    "outer-planar": "a field on every variable; the graph is outer-planar",
}
MOST_EDGES = {
    "partial": "with n variables there is room for 3n-3 couplings and fields together (3n-6 couplings)",
    "zero-field": "with n variables that is 3n-6 edges",
    "outer-planar": "with n variables that is 2n-3 edges",
}
SEARCHES = {
    "forward-backward": "forward-backward: edges are added, removed and swapped by their exact effect",
    "greedy": "greedy, as in the paper: an edge once added stays",
    "none": "none: the graph was given",
    "independent": "none: no edges",
    "chow-liu": "Chow-Liu: the best tree",
    "tmfg": "TMFG: triangulated maximally filtered graph of the moments",
    "pmfg": "PMFG: planar maximally filtered graph of the moments",
}
CRITERIA = {
    "bic": "BIC: an edge must gain at least log(N)/(2N) nats per row",
    "ebic": "EBIC, gamma {gamma:g}: an edge must gain at least (log(N) + 4 gamma log(n))/(2N) nats per row",
    "aic": "AIC: an edge must gain at least 1/N nats per row",
    "none": "none",
    "maximal": "maximal: it always adds edges as long as the plane has room, needed or not;",
}


def fit_summary(
    estimator: PlanarIsing, *, groups: Sequence[str] | None = None, title: str = "", command: str = ""
) -> str:
    """What was learned from what, how well it fits, and what to know before believing it.

    Parameters
    ----------
    estimator : PlanarIsing
        Fitted.
    groups : (n_features,) sequence of str, optional
    title : str
        What the data are.
    command : str
        How to repeat the run.

    Returns
    -------
    str
        Lines of at most 100 columns, ending with a newline. Names are shown with control characters escaped.
    """
    head = "Planar Ising model" + (f": {shortened(title, 70)}" if title else "") + "\n"
    parts = [
        head,
        section("Data", _data_lines(estimator, groups)),
        section("Model", _model_lines(estimator.result_)),
        section("Fit", _fit_lines(estimator)),
        section("Care", _care_lines(estimator.result_)),
        *_edge_sections(estimator.model_, standard_errors(estimator.model_, estimator.moments_.n_samples)),
        section("Reading it", [entry("convention", CONVENTION)]),
        section("To repeat", _repeat_lines(estimator, command)),
    ]
    return "\n".join(part for part in parts if part)


def settings_text(estimator: PlanarIsing) -> str:
    """All settings of an estimator, defaults too, as the call that makes it again."""
    settings = [
        f"{name}={value!r}"
        for name, value in estimator.get_params().items()
        if name not in ("checkpoint", "verbose") and not (name == "random_state" and value is None)
    ]
    return printable(f"PlanarIsing({', '.join(settings)})")


def model_summary(model: IsingModel, *, title: str = "") -> str:
    """Sizes, exact numbers and strongest couplings of a model.

    Where the model has no exact answers, because it is not planar or too strongly coupled, the reason is
    given in their place.
    """
    fields = f"{int(model.free_fields.sum())} of {counted(model.n_spins, 'variable')}"
    sizes = [
        entry("variables", f"{model.n_spins:,}: {some(model.names, 6)}"),
        entry("couplings", f"{model.n_edges:,}"),
        entry("free fields", fields),
        entry("planar", _planarity(model)),
    ]
    parts = [
        "Ising model" + (f": {shortened(title, 70)}" if title else "") + "\n",
        section("Sizes", sizes),
        section("Exact answers", _exact_lines(model)),
        *_edge_sections(model, None),
        section("Reading it", [entry("convention", CONVENTION)]),
    ]
    return "\n".join(part for part in parts if part)


def _planarity(model: IsingModel) -> str:
    """Whether the graph is planar, and whether it is so with the auxiliary node of the fields."""
    if not is_planar(model.n_spins, model.edges):
        return "no"
    if not model.free_fields.any():
        return "yes"
    extended = ExtendedGraph.of(model.n_spins, model.edges, np.flatnonzero(model.free_fields))
    if is_planar(extended.n_nodes, extended.extended_edges):
        return "yes, also together with the auxiliary spin of the fields"
    return "yes, but not together with the auxiliary spin of the fields"


def _exact_lines(model: IsingModel) -> list[str]:
    try:
        entropy = model.entropy()
    except (NonPlanarError, PrecisionError) as error:
        return [entry("none", printable(error))]
    by = "sum over all configurations" if model.method == "enumeration" else "planar method"
    return [
        entry("log Z", f"{model.log_partition():.12g} nats ({by})"),
        entry("entropy", f"{entropy:.10g} nats = {entropy / np.log(2):.10g} bits"),
        entry("magnetizations", _magnetizations(model)),
    ]


def _magnetizations(model: IsingModel) -> str:
    means = model.magnetizations()
    low, high = int(means.argmin()), int(means.argmax())
    if not model.free_fields.any():
        return "all zero: without fields, every variable is -1 half of the time"
    return (
        f"from {means[low]:.4f} ({shortened(model.names[low], 24)}) to {means[high]:.4f} "
        f"({shortened(model.names[high], 24)})"
    )


def _data_lines(estimator: PlanarIsing, groups) -> list[str]:
    moments = estimator.moments_
    lines = [
        entry("rows", f"{moments.n_samples:,.10g}"),
        entry("variables", f"{len(moments.names):,}"),
        *(entry("coding", text) for text in _codings(estimator)),
    ]
    if groups:
        sizes = Counter(groups).most_common()
        lines.append(entry("groups", some([f"{name or '(none)'} {count}" for name, count in sizes])))
    return lines + [entry("" if k else "note", printable(note)) for k, note in enumerate(estimator.notes_)]


def _codings(estimator: PlanarIsing) -> list[str]:
    """One sentence for each pair of labels."""
    names_of: dict[tuple[str, str], list[str]] = {}
    for name, coding in zip(estimator.model_.names, estimator.codings_ or (), strict=False):
        names_of.setdefault((coding.negative, coding.positive), []).append(name)
    if len(names_of) == 1:
        ((negative, positive),) = names_of
        return [f"+1 is {shortened(positive, 30)}, -1 is {shortened(negative, 30)}, in every column"]
    return [
        f"+1 is {shortened(positive, 30)}, -1 is {shortened(negative, 30)}, in {some(names, 6)}"
        for (negative, positive), names in list(names_of.items())[:MOST_SHOWN]
    ]


def _model_lines(result: SearchResult) -> list[str]:
    model = result.model
    criterion = CRITERIA[result.criterion].format(gamma=result.gamma)
    if result.criterion == "maximal":
        criterion = f"{criterion} {MOST_EDGES[result.family]}"
    ties = f"{counted(result.n_ties, 'step')} had equally good pairs; the first by name was taken"
    return [
        entry("family", f"{result.family}: {FAMILIES[result.family]}"),
        entry("criterion", criterion),
        entry("search", SEARCHES[result.search] + _restarts(result)),
        *_candidates(result),
        entry("edges", f"{model.n_edges:,}"),
        entry("fields", f"{int(model.free_fields.sum()):,}"),
        entry("search ended", printable(result.stopped)),
        entry("ties", ties if result.n_ties else "none"),
    ]


def _restarts(result: SearchResult) -> str:
    if not result.n_restarts:
        return ""
    seed = "a generator of yours" if result.seed is None else f"seed {result.seed}"
    return f"; restarted until {result.n_restarts} in a row found nothing better ({seed})"


def _candidates(result: SearchResult) -> list[str]:
    """Only where the search did not look at all pairs."""
    if result.n_candidates is None:
        return []
    kept = f"only pairs among the {result.n_candidates:,} largest |moments| of one of their variables (approximation)"
    return [entry("candidates", kept)]


def _fit_lines(estimator: PlanarIsing) -> list[str]:
    result, moments = estimator.result_, estimator.moments_
    per_row = result.log_likelihood / result.n_samples
    lines = [entry("log-likelihood", f"{result.log_likelihood:.2f} nats, {per_row:.5f} per row (exact)")]
    if moments.magnetizations is not None:
        alone = independent_log_likelihood(moments.magnetizations)
        gained = per_row - alone if abs(per_row - alone) >= 5e-6 else 0.0  # never -0.00000
        lines += [
            entry("for comparison", f"{alone:.5f} per row when every variable has its own field and no edge"),
            entry("gained by edges", f"{gained:.5f} nats = {gained / np.log(2):.5f} bits per row"),
        ]
    return [
        *lines,
        entry("AIC, BIC", f"{result.aic:.2f}, {result.bic:.2f} ({result.model.n_parameters} parameters)"),
        entry("convergence", _convergence(result)),
    ]


def independent_log_likelihood(magnetizations: np.ndarray) -> float:
    """Best mean log-likelihood per row of a model with fields and no edge, nats."""
    m = np.asarray(magnetizations, dtype=float)
    return -float(entr((1 + m) / 2).sum() + entr((1 - m) / 2).sum())


def _convergence(result: SearchResult) -> str:
    reached = "all fits converged" if result.converged else "NOT all fits converged, read with care"
    return f"{reached}, largest moment error {result.gradient_norm:.1e}"


def _care_lines(result: SearchResult) -> list[str]:
    model = result.model
    isolated = [model.names[i] for i in np.setdiff1d(np.arange(model.n_spins), model.edges).tolist()]
    lines = [entry("estimate", _existence(result))]
    if result.excluded:
        pairs = [f"{e.source} - {e.target}" for e in result.excluded]
        lines.append(entry("left out", f"{counted(len(pairs), 'pair')}: {some(pairs, 5)}; see excluded.csv"))
    if not model.n_edges:
        lines.append(entry("no edge", "no pair of variables gains enough to pay for an edge"))
    if isolated:
        lines.append(entry("isolated", f"{counted(len(isolated), 'variable')}: {some(isolated)}"))
    errors = "for the graph as it is; they ignore that it was chosen with the same data"
    return [*lines, entry("standard errors", errors)]


def _existence(result: SearchResult) -> str:
    if result.prior is not None:
        return (
            f"a prior of {result.prior:g} pseudo-observations, spread evenly over all configurations, pulls "
            "every number a little towards zero"
        )
    if not result.excluded:
        return "no prior; every coupling has a finite estimate (checked exactly)"
    return "no prior; pairs with an infinite coupling (checked exactly) were left out; a prior admits them"


def _edge_sections(model: IsingModel, errors: np.ndarray | None) -> list[str]:
    order = np.argsort(model.couplings, kind="stable")
    positive = [k for k in order[::-1].tolist() if model.couplings[k] > 0]
    negative = [k for k in order.tolist() if model.couplings[k] < 0]
    return [
        section(
            f"Strongest {sign} couplings ({len(edges):,} in all)",
            [_edge_line(model, errors, k) for k in edges[:MOST_SHOWN]],
        )
        for sign, edges in (("positive", positive), ("negative", negative))
    ]


def _edge_line(model: IsingModel, errors, k: int) -> str:
    source, target = (shortened(name, 30) for name in model.edge_names[k])
    error = "" if errors is None or np.isnan(errors[k]) else f"   (standard error {errors[k]:.3f})"
    return f"  {model.couplings[k]:+8.3f}  {source} - {target}{error}"


def _repeat_lines(estimator: PlanarIsing, command: str) -> list[str]:
    from isingmap import __version__

    lines = [entry("version", f"isingmap {__version__}")]
    if command:
        lines.append(entry("command", printable(command)))
    return [*lines, entry("in Python", settings_text(estimator))]
