"""PlanarIsing: the scikit-learn face of the package. It converts, calls, warns; the work is done below."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from isingmap.data.convert import as_spin_table
from isingmap.data.missing import apply_missing
from isingmap.data.moments import EmpiricalMoments, empirical_moments, moments_from_matrix
from isingmap.data.screening import screen
from isingmap.data.table import Coding, SpinTable
from isingmap.errors import DataError
from isingmap.interruption import listening, undisturbed
from isingmap.learning.fit_warnings import warn_about_data, warn_about_search
from isingmap.learning.learned_map import LearnedMap
from isingmap.learning.settings import SETTINGS, checked_settings, options_from, with_settings
from isingmap.model import IsingModel
from isingmap.progress import progress_bar
from isingmap.structure.learn import learn_structure
from isingmap.structure.options import ProblemOptions, SearchOptions
from isingmap.structure.problem import Problem
from isingmap.structure.result import Exclusion, Path, SearchResult
from isingmap.warned import heard_warnings


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

    def __init__(self, **settings):
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
        if self.constant == "keep" and self.prior is None:
            raise DataError('constant="keep" needs a prior (prior=1): the field of a constant column is infinite')
        named = isinstance(X, SpinTable) or hasattr(X, "columns")
        with listening():
            with heard_warnings() as heard:
                table = self._table(X, self.positive, sample_weight)
                table = screen(apply_missing(table, self.missing), constant=self.constant)
                moments = empirical_moments(table)
                result = self._search(moments)
            learned = LearnedMap(result, moments, table.codings, table.notes, tuple(heard), groups=table.groups)
            return self._keep(learned, named)

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
        if names is None and hasattr(moments, "columns"):
            names = [str(name) for name in moments.columns]
        with listening():
            with heard_warnings() as heard:
                given = moments_from_matrix(moments, n_samples, magnetizations=magnetizations, names=names)
                result = self._search(given)
            notes = ("Learned from given moments; no rows were read.",)
            return self._keep(LearnedMap(result, given, warnings=tuple(heard), notes=notes), names is not None)

    def _table(self, X, positive, weights=None) -> SpinTable:
        if isinstance(X, SpinTable):
            return as_spin_table(X, weights=weights)
        return as_spin_table(X, positive=positive, threshold=self.threshold, weights=weights)

    def _search(self, moments: EmpiricalMoments) -> SearchResult:
        warn_about_data(moments, self.family)
        with progress_bar("edges", enabled=self.verbose) as progress:
            problem = Problem(moments, **options_from(self.get_params(), ProblemOptions))
            options = SearchOptions(**options_from(self.get_params(), SearchOptions))
            result = learn_structure(problem, options, progress=progress)
        with undisturbed():
            warn_about_search(result, self.n_edges)
        return result

    def _keep(self, learned: LearnedMap, named: bool) -> PlanarIsing:
        self._learned = replace(learned, settings=self._settings())
        names = learned.moments.names
        self.n_features_in_ = len(names)
        if named:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def _settings(self) -> dict[str, object]:
        """All settings on which the result depends, defaults too."""
        return {name: value for name, value in self.get_params().items() if SETTINGS[name].shapes_result}

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

        Labels are read as in the data the model was learned from.

        Raises
        ------
        DataError
            If the columns or labels are not those of the data, or cells are missing under missing="error".
        NotFittedError
            Before `fit`.
        """
        model = self.model_
        table = self._coded_as_before(X)
        if table.n_missing:
            table = apply_missing(table, "error" if self.missing == "pairwise" else self.missing)
        return model.log_probability(table.spins)

    def score(self, X, y=None) -> float:
        """Exact mean log-likelihood per row, nats. Higher is better; -n_features * log(2) is a fair coin's.

        Raises
        ------
        DataError, NotFittedError
            As in `score_samples`.
        """
        return float(self.score_samples(X).mean())

    def _coded_as_before(self, X) -> SpinTable:
        """New data in the coding of the training data; a column with another pair of labels is an error."""
        self._check_columns(X)
        names = self.model_.names
        before = dict(zip(names, self.codings_ or (), strict=False))
        positive = {name: coding.positive for name, coding in before.items()}
        table = self._table(X, positive if self.threshold is None else None)
        if set(table.names) != set(names):
            table = table.select([name for name in table.names if name in set(names)])
        if table.n_spins != len(names):
            raise DataError(f"X has {table.n_spins} columns, but the model was learned from {len(names)}")
        table = table.select(list(names))
        for name, coding, values in zip(names, table.codings, table.spins.T, strict=True):
            if before and (values == -1).any() and coding.negative != before[name].negative:
                raise DataError(
                    f"column {name} has the label {coding.negative!r}; the model was learned from the labels "
                    f"{before[name].negative!r} (-1) and {before[name].positive!r} (+1)"
                )
        return table

    def _check_columns(self, X) -> None:
        shape = np.shape(X) if not isinstance(X, SpinTable) else X.spins.shape
        if len(shape) == 2 and not hasattr(X, "columns") and shape[1] != self.n_features_in_:
            raise DataError(
                f"X has {shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} features "
                "as input"
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
            input_tags=InputTags(allow_nan=self.missing != "error"),
        )


def _not_fitted(estimator):
    """scikit-learn's own error where it is installed, so that its tools recognise it."""
    message = f"This {type(estimator).__name__} is not fitted yet; call fit or fit_moments first"
    try:
        from sklearn.exceptions import NotFittedError
    except ImportError:
        return AttributeError(message)
    return NotFittedError(message)
