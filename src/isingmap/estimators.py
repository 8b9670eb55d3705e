"""PlanarIsing: the scikit-learn face of the package. It converts, calls, warns; the work is done below."""

from __future__ import annotations

import inspect
import textwrap
import warnings

import numpy as np

from isingmap.data.convert import as_spin_table
from isingmap.data.missing import apply_missing
from isingmap.data.moments import EmpiricalMoments, empirical_moments, moments_from_matrix
from isingmap.data.screening import screen, unbalanced_columns
from isingmap.data.table import SpinTable, listed
from isingmap.errors import DataError, DataWarning, FitWarning
from isingmap.option import Option, options_of
from isingmap.progress import progress_bar
from isingmap.structure.learn import learn_structure
from isingmap.structure.options import OPTIONS, ProblemOptions, SearchOptions
from isingmap.structure.problem import Problem
from isingmap.structure.result import SearchResult

# Settings of the estimator by name; all but the last are those of the table.
SETTINGS = {option.python: option for option in OPTIONS if option.python} | {
    "verbose": Option("verbose", False, "show a progress bar on stderr", "switch")
}


class PlanarIsing:
    """Learn the planar Ising model that fits a table of binary variables.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
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

    def __init__(self, **settings):
        unknown = sorted(settings.keys() - SETTINGS.keys())
        if unknown:
            raise TypeError(f"PlanarIsing has no setting {', '.join(unknown)}; it has {', '.join(SETTINGS)}")
        for name, setting in SETTINGS.items():
            setattr(self, name, settings.get(name, setting.default))

    def fit(self, X, y=None, sample_weight=None) -> PlanarIsing:
        """Learn the model from observations.

        Parameters
        ----------
        X : (n_samples, n_features) array, data frame or SpinTable
            Two values in every column.
        y : ignored
        sample_weight : (n_samples,) array, optional
            Frequency weights: a row of weight w counts as w rows.
        """
        if self.constant == "keep" and self.prior is None:
            raise DataError('constant="keep" needs a prior (prior=1): the field of a constant column is infinite')
        named = isinstance(X, SpinTable) or hasattr(X, "columns")
        table = self._table(X, self.positive, sample_weight)
        table = screen(apply_missing(table, self.missing), constant=self.constant)
        self.codings_ = table.codings
        self.notes_ = table.notes
        self._learn(empirical_moments(table), named)
        return self

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
        """
        if names is None and hasattr(moments, "columns"):
            names = [str(name) for name in moments.columns]
        given = moments_from_matrix(moments, n_samples, magnetizations=magnetizations, names=names)
        self.codings_ = None
        self.notes_ = ("Learned from given moments; no rows were read.",)
        self._learn(given, names is not None)
        return self

    def _options(self, table):
        """The settings of one of the dataclasses that make up the table of settings."""
        values = {option: getattr(self, option.python) for option in options_of(table) if option.python}
        return table(**{option.name: option.default if value is None else value for option, value in values.items()})

    def _table(self, X, positive, weights=None) -> SpinTable:
        if isinstance(X, SpinTable):
            return as_spin_table(X, weights=weights)
        return as_spin_table(X, positive=positive, threshold=self.threshold, weights=weights)

    def _learn(self, moments: EmpiricalMoments, named: bool) -> None:
        self._warn_unbalanced(moments)
        with progress_bar("edges", enabled=self.verbose) as progress:
            problem = Problem(moments, **vars(self._options(ProblemOptions)))
            result = learn_structure(problem, self._options(SearchOptions), progress=progress)
        _warn_about(result, self.n_edges)
        self.result_ = result
        self.moments_ = moments
        self.n_features_in_ = len(moments.names)
        if named:
            self.feature_names_in_ = np.array(moments.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _warn_unbalanced(self, moments: EmpiricalMoments) -> None:
        columns = unbalanced_columns(moments)
        if self.family != "zero-field" or not columns:
            return
        warnings.warn(
            f"{len(columns)} of {len(moments.names)} columns are far from half and half ({listed(columns)}). A "
            "zero-field model takes every variable for a fair coin, so two rare items that have nothing to do with "
            'each other look strongly tied. Use family="partial", which adds fields where the data ask for them',
            DataWarning,
            stacklevel=4,
        )

    @property
    def model_(self):
        return self._result.model

    @property
    def edges_(self) -> np.ndarray:
        return self._result.model.edges

    @property
    def couplings_(self) -> np.ndarray:
        return self._result.model.couplings

    @property
    def fields_(self) -> np.ndarray:
        return self._result.model.fields

    @property
    def path_(self):
        return self._result.path

    @property
    def log_likelihood_(self) -> float:
        return self._result.log_likelihood

    @property
    def excluded_(self):
        return self._result.excluded

    @property
    def _result(self) -> SearchResult:
        if not hasattr(self, "result_"):
            raise _not_fitted(self)
        return self.result_

    def score_samples(self, X) -> np.ndarray:
        """Exact log-probability of each row under the model, nats, (n_samples,).

        Labels are read as in the data the model was learned from.
        """
        model = self._result.model
        table = self._coded_as_before(X)
        if table.n_missing:
            table = apply_missing(table, "error" if self.missing == "pairwise" else self.missing)
        return model.log_probability(table.spins)

    def score(self, X, y=None) -> float:
        """Exact mean log-likelihood per row, nats. Higher is better; -n_features * log(2) is a fair coin's."""
        return float(self.score_samples(X).mean())

    def _coded_as_before(self, X) -> SpinTable:
        """New data in the coding of the training data; a column with another pair of labels is an error."""
        self._check_columns(X)
        names = self._result.model.names
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
        return hasattr(self, "result_")

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


def _warn_about(result: SearchResult, n_edges) -> None:
    """Everything about the search that a reader of the result must know."""
    if result.excluded:
        shown = "; ".join(f"{e.source}-{e.target} ({e.reason})" for e in result.excluded[:3])
        _warn(
            f"{len(result.excluded)} pair(s) were left out because their coupling would be infinite: {shown}"
            f"{' and others' if len(result.excluded) > 3 else ''}. prior=1 lets them in"
        )
    if not result.converged:
        _warn(f"a fit did not converge (gradient {result.gradient_norm:.1e}); prior=1 makes the problem milder")
    if result.stopped.startswith("interrupted"):
        _warn(f"{result.stopped}; the model holds the edges found so far and can be the start of another search")
    if n_edges is not None and result.model.n_edges < n_edges:
        _warn(f"{result.model.n_edges} edges instead of n_edges={n_edges}: {result.stopped}")


def _warn(message: str) -> None:
    warnings.warn(message, FitWarning, stacklevel=5)


_KINDS = {
    "edges": "(k, 2) array of int or names",
    "labels": "label or {column: label}",
    "number": "float",
    "path": "path-like",
    "seed": "int or Generator",
    "switch": "bool",
    "whole": "int",
}


def _described(setting: Option, name: str) -> str:
    """The entry of a setting in a numpydoc list of parameters."""
    choices = ", ".join(f'"{choice}"' for choice in setting.choices)
    kind = f"{{{choices}}}" if choices else _KINDS[setting.kind]
    default = "optional" if setting.default is None else f"default {setting.default!r}"
    text = f"{setting.help[0].upper()}{setting.help[1:]}."
    return f"{name} : {kind}, {default}\n" + textwrap.indent(textwrap.fill(text, 108), " " * 8)


# What everybody sees of the settings, made from their table: the signature and the list of parameters.
PlanarIsing.__init__.__signature__ = inspect.Signature(
    [
        inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD),
        *(inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=o.default) for n, o in SETTINGS.items()),
    ]
)
PlanarIsing.__doc__ = PlanarIsing.__doc__.replace(
    "{parameters}", "\n    ".join(_described(setting, name) for name, setting in SETTINGS.items())
)
