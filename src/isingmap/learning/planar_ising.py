"""PlanarIsing: the scikit-learn face of the package. It converts, calls, warns; the work is done below."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from isingmap.data.convert import as_spin_table
from isingmap.data.missing import apply_missing
from isingmap.data.moments import EmpiricalMoments, empirical_moments, moments_from_matrix, overlap
from isingmap.data.options import DataOptions
from isingmap.data.screening import screen
from isingmap.data.table import Coding, SpinTable, counted, listed
from isingmap.errors import DataError, DataWarning
from isingmap.interruption import listening, undisturbed
from isingmap.learning.edges_of_columns import among_kept
from isingmap.learning.fit_warnings import (
    warn_about_data,
    warn_about_missing_fields,
    warn_about_search,
    warn_about_settings,
)
from isingmap.learning.learned_map import LearnedMap
from isingmap.learning.settings import SETTINGS, check_values, checked_settings, options_from, with_settings
from isingmap.model import IsingModel
from isingmap.progress import entitle, progress_bar
from isingmap.selection.cross_validation import CrossValidation, cross_validated, with_choice
from isingmap.structure.criteria import CROSS_VALIDATED
from isingmap.structure.learn import learn_structure
from isingmap.structure.options import ProblemOptions, SearchOptions
from isingmap.structure.problem import Problem
from isingmap.structure.result import Exclusion, Path, SearchResult
from isingmap.warned import heard_warnings, warn


@with_settings
class PlanarIsing:
    """Learn the planar Ising model that fits a table of binary variables.

    Parameters
    ----------
    {settings}

    Attributes
    ----------
    learned_ : LearnedMap
        Everything that was learned, with the data, the notes and the warnings; `write_results` takes it.
    model_ : IsingModel
    edges_ : (n_edges, 2) int array, i < j
    couplings_ : (n_edges,) array
    fields_ : (n_features,) array
    path_ : Path
        Every step of the search with its gain, log-likelihood, AIC and BIC.
    log_likelihood_ : float
        Total nats.
    excluded_ : tuple of Exclusion
    result_ : SearchResult
    moments_ : EmpiricalMoments
    codings_ : tuple of Coding or None
        What -1 and +1 stand for in each column.
    notes_ : tuple of str
        What was done to the data.
    n_features_in_ : int
    feature_names_in_ : (n_features,) array of str
        Only when the data had names.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.choice([-1, 1], size=(500, 3))
    >>> x[:, 1] = np.where(rng.random(500) < 0.9, x[:, 0], -x[:, 0])
    >>> PlanarIsing(family="zero-field").fit(x).edges_
    array([[0, 1]])
    """

    if TYPE_CHECKING:  # the settings are attributes

        def __getattr__(self, name: str) -> Any: ...

    def __init__(self, *unnamed, **settings):
        """Raises TypeError for a name that is no setting, and for a value without a name."""
        if unnamed:
            raise TypeError(
                f"PlanarIsing takes its settings by name, such as PlanarIsing(family='zero-field'), and data in "
                f"fit(X); got {type(unnamed[0]).__name__} without a name"
            )
        vars(self).update(checked_settings(settings))

    def fit(self, X, y=None, sample_weight=None) -> PlanarIsing:
        """Learn the model from observations.

        Parameters
        ----------
        X : (n_samples, n_features) array, data frame or SpinTable
            Two values in every column.
        y : ignored
        sample_weight : (n_samples,) array, optional
            Frequency weights: a row of weight w counts as w rows.

        Raises
        ------
        DataError
            If the table cannot be used as it is, or the settings do not fit it.
        ModelError
            For a setting that does not exist, or required edges that cannot be drawn.
        NoEstimateError
            If the required edges have no finite estimate.
        PrecisionError
            If double precision and balls both fail.

        Warns
        -----
        DataWarning, FitWarning
            Of what a reader of the result must know; the texts are kept in `learned_.warnings`.
        """
        check_values(self.get_params())
        if self._reading.constant == "keep" and self.prior is None:
            raise DataError('constant="keep" needs a prior (prior=1): the field of a constant column is infinite')
        named = isinstance(X, SpinTable) or hasattr(X, "columns")
        with listening():
            with heard_warnings() as heard:
                table = self._table(X, self.positive, sample_weight)
                columns = table.names
                table = screen(apply_missing(table, self._reading.missing), constant=self._reading.constant)
                moments = empirical_moments(table)
                result, selection = self._search(moments, columns, table)
            shared = (
                overlap(table, result.model.edges, np.flatnonzero(result.model.free_fields))
                if table.n_missing
                else None
            )
            learned = LearnedMap(
                *(result, moments, table.codings, table.notes, tuple(heard)),
                groups=table.groups,
                details=table.details,
                overlap=shared,
                selection=selection,
            )
            return self._keep(learned, columns, named)

    def fit_moments(self, moments, n_samples, *, magnetizations=None, names=None) -> PlanarIsing:
        """Learn the model from pairwise moments E[x_i x_j] of -1/+1 data.

        Pearson correlations are such moments only when all means are zero.

        Parameters
        ----------
        moments : (n_features, n_features) array or data frame
        n_samples : float
        magnetizations : (n_features,) array, optional
            E[x_i]; needed by the families with fields.
        names : sequence of str, optional

        Raises
        ------
        DataError
            If the numbers cannot be moments.
        ModelError, NoEstimateError, PrecisionError
            As in `fit`.

        Warns
        -----
        DataWarning, FitWarning
            As in `fit`.
        """
        check_values(self.get_params())
        if names is None and hasattr(moments, "columns"):
            names = [str(name) for name in moments.columns]
        with listening():
            with heard_warnings() as heard:
                given = moments_from_matrix(moments, n_samples, magnetizations=magnetizations, names=names)
                result, _ = self._search(given, given.names)
            notes = ("Learned from given moments; no rows were read.",)
            return self._keep(
                LearnedMap(result, given, warnings=tuple(heard), notes=notes), given.names, names is not None
            )

    @property
    def _reading(self) -> DataOptions:
        return DataOptions(**options_from(self.get_params(), DataOptions))

    def _table(self, X, positive, weights=None) -> SpinTable:
        if isinstance(X, SpinTable):
            return as_spin_table(X, weights=weights)
        return as_spin_table(
            X, positive=positive, threshold=self.threshold, missing_label=self.missing_label, weights=weights
        )

    def _search(
        self, moments: EmpiricalMoments, columns: tuple[str, ...], table: SpinTable | None = None
    ) -> tuple[SearchResult, CrossValidation | None]:
        asked = options_from(self.get_params(), ProblemOptions)
        for setting in ("required_edges", "graph"):
            asked[setting] = among_kept(asked[setting], columns, moments.names, setting)
        problem = Problem(moments, **asked)
        if problem.graph is None:  # beside a given graph they are refused
            warn_about_settings(self.get_params())
        warn_about_data(moments, problem.family)
        with progress_bar("edges", enabled=bool(self.verbose)) as progress:
            options = SearchOptions(**options_from(self.get_params(), SearchOptions))
            selection = None
            if options.criterion == CROSS_VALIDATED and table is not None and problem.graph is None:
                selection = cross_validated(table, problem, options)
                problem = problem.of_family(selection.taken.family)
                options = with_choice(options, selection.taken)
                entitle("all rows")
            result = learn_structure(problem, options, progress=progress)
        with undisturbed():
            warn_about_search(result, self.n_edges)
            warn_about_missing_fields(result.model, moments)
        return result, selection

    def _keep(self, learned: LearnedMap, columns: tuple[str, ...], named: bool) -> PlanarIsing:
        self._learned = replace(learned, settings=self._settings())
        self._columns = columns
        self.n_features_in_ = len(columns)
        if named:
            self.feature_names_in_ = np.array(columns, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def _settings(self) -> dict[str, object]:
        """All settings on which the result depends, defaults too."""
        return deepcopy({name: value for name, value in self.get_params().items() if SETTINGS[name].shapes_result})

    @property
    def learned_(self) -> LearnedMap:
        if not hasattr(self, "_learned"):
            raise _not_fitted(self)
        return self._learned

    @property
    def result_(self) -> SearchResult:
        return self.learned_.result

    @property
    def moments_(self) -> EmpiricalMoments:
        return self.learned_.moments

    @property
    def codings_(self) -> tuple[Coding, ...] | None:
        return self.learned_.codings

    @property
    def notes_(self) -> tuple[str, ...]:
        return self.learned_.notes

    @property
    def model_(self) -> IsingModel:
        return self.result_.model

    @property
    def edges_(self) -> np.ndarray:
        return self.model_.edges

    @property
    def couplings_(self) -> np.ndarray:
        return self.model_.couplings

    @property
    def fields_(self) -> np.ndarray:
        return self.model_.fields

    @property
    def path_(self) -> Path:
        return self.result_.path

    @property
    def log_likelihood_(self) -> float:
        return self.result_.log_likelihood

    @property
    def excluded_(self) -> tuple[Exclusion, ...]:
        return self.result_.excluded

    def score_samples(self, X) -> np.ndarray:
        """Exact log-probability of each row under the model, nats, (n_samples,).

        Labels are read as in the data the model was learned from. Columns are found by their names if both the data of
        the fit and X have names, else by their positions. A row with a missing cell is NaN under missing="drop".

        Raises
        ------
        DataError
            If columns or labels are not those of the data, or cells are missing under missing="error" or "pairwise".
        NotFittedError
            Before `fit`.

        Warns
        -----
        DataWarning
            When constant columns were dropped, which the log-probability leaves out.
        """
        return self._scored(self._coded_as_before(X))

    def score(self, X, y=None, sample_weight=None) -> float:
        """Exact mean log-likelihood per row, nats. Higher is better; -n_features * log(2) is a fair coin's.

        Rows count by `sample_weight`, or by the weights of a SpinTable; rows without a log-probability do not count.

        Raises
        ------
        DataError, NotFittedError
            As in `score_samples`.

        Warns
        -----
        DataWarning
            As in `score_samples`.
        """
        table = self._coded_as_before(X)
        if sample_weight is not None:
            table = as_spin_table(table, weights=sample_weight)
        each = self._scored(table)
        weights = np.ones(len(each)) if table.weights is None else table.weights
        known = ~np.isnan(each)
        if not weights[known].any():
            raise DataError("no complete row is left to score")
        return float(np.average(each[known], weights=weights[known]))

    def _scored(self, table: SpinTable) -> np.ndarray:
        rule = "error" if self._reading.missing == "pairwise" else self._reading.missing
        complete = (table.spins != 0).all(axis=1)
        if rule == "drop" and not complete.all():
            each = np.full(table.n_samples, np.nan)
            if complete.any():
                each[complete] = self.model_.log_probability(table.spins[complete])
            return each
        return self.model_.log_probability(apply_missing(table, rule).spins)

    def _coded_as_before(self, X) -> SpinTable:
        """New data in the coding of the training data; a column with another pair of labels is an error."""
        names = self.model_.names
        before = dict(zip(names, self.codings_ or (), strict=False))
        self._warn_of_dropped()
        if isinstance(X, SpinTable):
            table = as_spin_table(X, select=names)
        else:
            by_name = hasattr(X, "columns") and hasattr(self, "feature_names_in_")
            positive = {name: coding.positive for name, coding in before.items()} or None
            table = as_spin_table(
                X,
                names=None if by_name else self._names_by_position(X),
                positive=positive if self.threshold is None else None,
                threshold=self.threshold,
                missing_label=self.missing_label,
                select=names,
            )
        for name, coding, values in zip(names, table.codings, table.spins.T, strict=True):
            if before and (values == -1).any() and coding.negative != before[name].negative:
                raise DataError(
                    f"column {name} has the label {coding.negative!r}; the model was learned from the labels "
                    f"{before[name].negative!r} (-1) and {before[name].positive!r} (+1)"
                )
        return table

    def _names_by_position(self, X) -> tuple[str, ...] | None:
        shape = np.shape(X)
        if len(shape) == 2 and shape[1] != self.n_features_in_:
            raise DataError(
                f"X has {shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} features "
                "as input"
            )
        return self._columns if len(shape) == 2 else None

    def _warn_of_dropped(self) -> None:
        dropped = [name for name in self._columns if name not in set(self.model_.names)]
        if dropped:
            warn(
                f"{counted(len(dropped), 'column')} ({listed(dropped)}) had a single value in the data of the fit and "
                f"{'was' if len(dropped) == 1 else 'were'} dropped: the score is about the other "
                f"{counted(self.model_.n_spins, 'column')} only, and not comparable with that of a fit that kept more. "
                "constant='keep' with prior=1 scores all columns",
                DataWarning,
                stacklevel=4,
            )

    def get_params(self, deep=True) -> dict:
        """Settings and their values."""
        return {name: getattr(self, name) for name in SETTINGS}

    def set_params(self, **params) -> PlanarIsing:
        """Change settings.

        Raises
        ------
        ValueError
            For a name that is no setting.
        """
        for name, value in params.items():
            if name not in SETTINGS:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {list(SETTINGS)}."
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        values = self.get_params().items()
        changed = [f"{name}={value!r}" for name, value in values if value is not SETTINGS[name].default]
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_learned")

    def __sklearn_tags__(self):
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type="density_estimator",
            target_tags=TargetTags(required=False),
            transformer_tags=None,
            regressor_tags=None,
            classifier_tags=None,
            input_tags=InputTags(allow_nan=self._reading.missing != "error"),
        )


def _not_fitted(estimator):
    """scikit-learn's own error where it is installed, so that its tools recognise it."""
    message = f"This {type(estimator).__name__} is not fitted yet; call fit or fit_moments first"
    try:
        from sklearn.exceptions import NotFittedError
    except ImportError:
        return AttributeError(message)
    return NotFittedError(message)
