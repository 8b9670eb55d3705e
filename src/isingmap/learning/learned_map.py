"""What was learned from which data: the record that all reports are made of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from time import monotonic
from typing import Any

import numpy as np

from isingmap.cached import cached_property, own_fields
from isingmap.data.missingness import Missingness
from isingmap.data.moments import EmpiricalMoments
from isingmap.data.table import Coding, counted, listed
from isingmap.errors import ModelError
from isingmap.interruption import wants_to_stop
from isingmap.learning.learned_rows import LearnedRows
from isingmap.learning.misses import Miss, misses
from isingmap.missing_cells.edge_refits import edge_losses_by_refits
from isingmap.missing_cells.expectation import Completion
from isingmap.missing_cells.information import observed_information
from isingmap.missing_cells.structural import EMFit
from isingmap.model import IsingModel
from isingmap.notebooks import html_of
from isingmap.planar.drawing.layout import LAYOUTS, named_layout
from isingmap.progress import at_work
from isingmap.resampling.stability import Stability
from isingmap.selection.cross_validation import CrossValidation
from isingmap.structure.edge_losses import edge_losses
from isingmap.structure.result import SearchResult
from isingmap.uncertainty.errors import (
    Errors,
    covariance_by_information,
    errors_and_covariance,
    errors_by_covariance,
)
from isingmap.uncertainty.intervals import Intervals, intervals_of
from isingmap.uncertainty.ratio_tests import RatioTests, ratio_tests
from isingmap.uncertainty.row_spread import RowSpread
from isingmap.uncertainty.zero_one import threshold_errors

Positions = Mapping[str, tuple[float, float]]


@dataclass(frozen=True, eq=False, repr=False)
class LearnedMap:
    """A learned model with all that a reader of it must know. Standard errors, losses and positions are computed once.

    Attributes
    ----------
    result : SearchResult
    moments : EmpiricalMoments
        Of the data it was learned from; where it was learned by EM, of the rows where both of a pair are known.
    codings : tuple of Coding or None
        What -1 and +1 stand for in each column; None where no rows were read.
    notes : tuple of str
        What was done to the data.
    warnings : tuple of str
        What was warned of while it was learned.
    settings : mapping of str to object
        The options of `PlanarIsing` that lead to it again.
    groups : (n_spins,) sequence of str or None
        Colours of the variables.
    details : mapping of title to (n_spins,) tuple of str
        What else is known of the variables: further columns of nodes.csv.
    title : str
        What the data are.
    command : str
        The command line that leads to it again.
    source : (str, str), optional
        Where the data came from: a module, and the call of its function that reads them.
    layout : {"planar", "kamada-kawai"}
        How to find places for the nodes.
    overlap : (n_parameters, n_parameters) array or None
        Where each pair has rows of its own: what standard errors need of them; see `data.moments.overlap`.
    selection : CrossValidation or None
        What was tried on held-out rows, where criterion="cv" chose the settings.
    spread : RowSpread or None
        Where standard errors are robust: how much the rows, or their clusters, differ.
    interval_kind : {"auto", "wald", "profile"}
        Which 95 % intervals are given; see `uncertainty.intervals`.
    em : EMFit or None
        Where cells are missing and the model was learned by EM.
    gaps : Missingness or None
        What missing cells have to do with the other columns.
    rows : LearnedRows or None
        How many there are, what was left out of them and what was filled in; None where moments were given.
    stability : Stability or None
        What resamples say of it, where `PlanarIsing.stability` was asked.
    places : mapping of name to (x, y), optional
        Places to take instead, such as those of another map; names that are not in the model keep room for them.

    Raises
    ------
    ModelError
        If groups or places do not fit the variables, or for an unknown layout.
    """

    result: SearchResult
    moments: EmpiricalMoments
    codings: tuple[Coding, ...] | None = None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    groups: Sequence[str] | None = None
    details: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    title: str = ""
    command: str = ""
    source: tuple[str, str] | None = None
    layout: str = "planar"
    places: Positions | None = None
    overlap: np.ndarray | None = None
    selection: CrossValidation | None = None
    spread: RowSpread | None = None
    interval_kind: str = "auto"
    stability: Stability | None = None
    em: EMFit | None = None
    gaps: Missingness | None = None
    rows: LearnedRows | None = None

    def __post_init__(self) -> None:
        names = self.model.names
        if self.layout not in LAYOUTS:
            raise ModelError(f"layout must be one of {', '.join(LAYOUTS)}; got {self.layout!r}")
        object.__setattr__(self, "groups", check_groups(self.groups, len(names)))
        if self.places is not None:
            object.__setattr__(self, "places", check_places(self.places, names))

    def __repr__(self) -> str:
        return f"LearnedMap({self.model!r} from {self.moments.n_samples:,.10g} rows)"

    def _repr_html_(self) -> str | None:
        """A small map and the strongest edges, for notebooks."""
        return html_of(self)

    @property
    def model(self) -> IsingModel:
        return self.result.model

    @property
    def interrupted(self) -> bool:
        """Whether the search, what chose its settings, or its resampling was stopped before it came to its end."""
        resampling, selection = self.stability, self.selection
        stopped = resampling is not None and resampling.interrupted
        return self.result.was_interrupted or stopped or (selection is not None and selection.was_interrupted)

    @property
    def coupling_errors(self) -> np.ndarray:
        """Standard errors of the couplings, (n_edges,); NaN where double precision cannot tell."""
        return self.errors.standard[: self.model.n_edges]

    @property
    def field_errors(self) -> np.ndarray:
        """Standard errors of the fields, (n_spins,); NaN also where the model has no field."""
        errors = np.full(self.model.n_spins, np.nan)
        errors[self.model.free_fields] = self.errors.standard[self.model.n_edges :]
        return errors

    @cached_property
    def errors(self) -> Errors:
        """Standard errors of all parameters, couplings first, then free fields, and where they come from."""
        return self._errors_of_both_codings[0]

    @property
    def covariance(self) -> np.ndarray:
        """Covariances of all parameters, couplings first, then free fields; of the diagonal `errors` are the roots.

        NaN where these are. Computed anew each time: as much work as the standard errors, the memory of a Hessian.
        """
        return self._errors_and_covariance()[1]

    def _errors_and_covariance(self) -> tuple[Errors, np.ndarray]:
        """From one inverse of the information."""
        if self.em is not None:
            found = covariance_by_information(self._observed_information)
            errors = errors_by_covariance(found)
        else:
            n_samples, prior = self.moments.n_samples, self.result.prior
            errors, found = errors_and_covariance(
                self.model, n_samples, overlap=self.overlap, spread=self.spread, prior=prior
            )
        unknown = np.isnan(errors.standard)
        return errors, np.where(unknown[:, None] | unknown, np.nan, found)

    @cached_property
    def threshold_errors(self) -> np.ndarray:
        """Standard errors of the thresholds of the model in 0/1 coding, (n_spins,); see `uncertainty.zero_one`."""
        return self._errors_of_both_codings[1]

    @cached_property
    def _errors_of_both_codings(self) -> tuple[Errors, np.ndarray]:
        """Asked for together, so that the covariances of all parameters need not be kept."""
        errors, covariance = self._errors_and_covariance()
        return errors, threshold_errors(self.model, covariance)

    @cached_property
    def edge_tests(self) -> RatioTests:
        """The likelihood-ratio test of each edge, (n_edges,): `statistic` and `p_value`."""
        return ratio_tests(self.edge_losses, self.errors)

    @cached_property
    def intervals(self) -> Intervals:
        """95 % intervals of all parameters, couplings first, then free fields."""
        kind = self.interval_kind if self.em is None else "wald"
        with at_work("profile likelihoods"):
            return intervals_of(self.result, self.moments, self.errors, kind)

    @property
    def coupling_intervals(self) -> Intervals:
        """95 % intervals of the couplings, given the graph, (n_edges,): `lower`, `upper` and `by_profile`."""
        return self.intervals.part(slice(self.model.n_edges))

    @property
    def field_intervals(self) -> Intervals:
        """95 % intervals of the fields, (n_spins,); NaN where the model has no field."""
        found, free = self.intervals.part(slice(self.model.n_edges, None)), self.model.free_fields
        lower, upper, by_profile = np.full(free.size, np.nan), np.full(free.size, np.nan), np.zeros(free.size, bool)
        lower[free], upper[free], by_profile[free] = found.lower, found.upper, found.by_profile
        return Intervals(lower, upper, by_profile)

    @property
    def edge_losses(self) -> np.ndarray:
        """Log-likelihood lost without each edge, (n_edges,), total nats; see the function `edge_losses`."""
        return self._losses[0]

    @property
    def tests_interrupted(self) -> bool:
        """Whether Ctrl-C came while edges were tested, so that some have no test."""
        return self._losses[1]

    @cached_property
    def _losses(self) -> tuple[np.ndarray, bool]:
        since = monotonic()
        with at_work("likelihood-ratio tests of the edges"):
            if self._completion is None:
                found = edge_losses(self.result, self.moments)
            else:
                known = self._observed_information
                found = edge_losses_by_refits(self._completion, self.model, known, self.result.prior)
        return found, wants_to_stop(since) and bool(np.isnan(found).any())

    @cached_property
    def _completion(self) -> Completion | None:
        return None if self.em is None else Completion(self.model.edges, self.em.observed)

    @cached_property
    def _observed_information(self) -> np.ndarray:
        assert self._completion is not None
        with at_work("observed information"):
            return observed_information(self._completion, self.model, self.result.prior)

    @cached_property
    def misses(self) -> list[Miss]:
        """Means and pairs where the model differs from the data, most missed first; see the function `misses`."""
        return misses(self.model, self.moments)

    @cached_property
    def positions(self) -> Positions:
        """Name -> (x, y): a place for each variable, and for all others in `places`.

        Raises
        ------
        ModelError
            For an unknown layout.
        """
        if self.places is not None:
            return dict(self.places)
        names = self.model.names
        found = named_layout(self.layout, len(names), self.model.edges, labels=names)
        return {name: (x, y) for name, (x, y) in zip(names, found.tolist(), strict=True)}

    def described(
        self,
        *,
        groups: Sequence[str] | None = None,
        title: str | None = None,
        command: str | None = None,
        source: tuple[str, str] | None = None,
        layout: str | None = None,
        places: Positions | None = None,
        warnings: Sequence[str] | None = None,
    ) -> LearnedMap:
        """The same map with other words, colours or places; what is None stays as it is.

        Raises
        ------
        ModelError
            If groups or places do not fit the variables.
        """
        return replace(
            self,
            groups=self.groups if groups is None else groups,
            title=self.title if title is None else title,
            command=self.command if command is None else command,
            source=self.source if source is None else source,
            layout=self.layout if layout is None else layout,
            places=self.places if places is None else places,
            warnings=self.warnings if warnings is None else tuple(warnings),
        )

    def __getstate__(self) -> dict:
        """Without what can be computed again: a Hessian's inverse has no place in a pickle."""
        return own_fields(self)


def check_groups(groups: Any, n_spins: int) -> tuple[str, ...] | None:
    """The group of each variable as text, "" for a variable without one; None where there are no groups.

    Raises
    ------
    ModelError
        If their number is another than that of the variables.
    """
    if groups is None:
        return None
    if isinstance(groups, str):
        raise ModelError(f"groups must have one entry for each variable, got the text {groups!r}")
    if len(groups) != n_spins:
        raise ModelError(
            f"groups must have one entry for each of the {counted(n_spins, 'variable')}, got {len(groups)}"
        )
    return tuple("" if group is None else str(group) for group in groups)


def check_places(places: Positions, names: Sequence[str]) -> dict[str, tuple[float, float]]:
    """The places as plain numbers; those that lack a variable, or are no pairs of finite numbers, are refused.

    Raises
    ------
    ModelError
    """
    if isinstance(places, str) or not hasattr(places, "items"):
        raise ModelError(
            f"places must map names to (x, y), got {type(places).__name__}; positions_of of a map and read_positions "
            "of a model.json return that"
        )
    absent = [name for name in names if name not in places]
    if absent:
        raise ModelError(
            f"no place for {counted(len(absent), 'variable')} of {len(names)}: {listed(absent)}; take the places of a "
            "map with these variables"
        )
    return {str(name): _place(name, place) for name, place in places.items()}


def _place(name: object, place: Any) -> tuple[float, float]:
    try:
        x, y = place
    except (TypeError, ValueError):
        x = y = math.nan
    if all(isinstance(number, Real) and math.isfinite(number) for number in (x, y)):
        return float(x), float(y)
    raise ModelError(f"the place of {name} must be two finite numbers (x, y), got {place!r:.80}")
