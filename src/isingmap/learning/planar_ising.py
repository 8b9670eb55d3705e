"""PlanarIsing: the scikit-learn face of the package. It converts, calls, warns; the work is done below."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np

from isingmap.data.accumulator import MomentAccumulator
from isingmap.data.convert import as_spin_table
from isingmap.data.counted_table import CountedTable
from isingmap.data.missing import apply_missing
from isingmap.data.moments import empirical_moments, known_moments, moments_from_matrix, overlap
from isingmap.data.options import SURVEY
from isingmap.data.screening import screen
from isingmap.data.table import SpinTable
from isingmap.errors import DataError, IsingMapWarning
from isingmap.interruption import listening
from isingmap.learning.configured import Configured
from isingmap.learning.fitted import Fitted
from isingmap.learning.gaps import gaps_of, is_for_em
from isingmap.learning.learned_map import LearnedMap
from isingmap.learning.learned_rows import LearnedRows
from isingmap.learning.resampled import fit_to_the_end, refuse_kind, stability_of
from isingmap.learning.searched import searched, searched_by_em
from isingmap.learning.selected import refuse_to_resample
from isingmap.learning.settings import (
    check_values,
    with_resampling,
    with_settings,
)
from isingmap.notebooks import html_of
from isingmap.option import check_given, options_of
from isingmap.resampling.options import StabilityOptions
from isingmap.resampling.stability import Stability
from isingmap.structure.criteria import CROSS_VALIDATED
from isingmap.uncertainty.row_spread import check_clusters, row_spread
from isingmap.uncertainty.survey import as_survey
from isingmap.warned import heard_warnings

_OF_ROWS = ("positive", "threshold", "missing_label", "missing")  # settings that say what rows mean


@with_settings
class PlanarIsing(Configured, Fitted):
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

    def fit(self, X, y=None, sample_weight=None, clusters=None) -> PlanarIsing:
        """Learn the model from observations.

        Parameters
        ----------
        X : (n_samples, n_features) array, data frame, SpinTable, MomentAccumulator or CountedTable
            Two values in every column.
        y : ignored
        sample_weight : (n_samples,) array, optional
            Weights of the rows; what they mean is said by `weight_kind`.
        clusters : (n_samples,) sequence of labels, optional
            Rows with one label were not drawn independently: a patient's days, the cases of a term. Standard errors
            and intervals are then robust, from the spread of the clusters.

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
        vars(self).pop("_rows", None)
        if isinstance(X, MomentAccumulator | CountedTable):
            self._refuse_about_rows("sums over the rows", clusters)
        if isinstance(X, MomentAccumulator):
            if sample_weight is not None:
                raise DataError("sample_weight goes with the rows, when they are added to the MomentAccumulator")
            X.check_settings({name: getattr(self, name) for name in _OF_ROWS})
            return self._fit_counted(X.counted(), X.are_named)
        if isinstance(X, CountedTable):
            return self._fit_counted(X, named=True)
        named = isinstance(X, SpinTable) or hasattr(X, "columns")
        with listening():
            with heard_warnings() as heard:
                given = self._table(X, self.positive, sample_weight, clusters)
                table, columns = self._prepared(given), given.names
                survey = self._reading.weight_kind == SURVEY  # whose weights count no rows
                gaps = gaps_of(as_survey(given) if survey else given, self._reading.missing, table.names)
                em, selection = None, None
                if is_for_em(table, self._reading, self._uncertainty):
                    moments = known_moments(table)
                    em = searched_by_em(self.get_params(), table, moments, columns)
                    result = em.result
                else:
                    moments = empirical_moments(table)
                    result, selection = searched(self.get_params(), moments, columns, table)
            model, robust = result.model, self._robust(table)
            parameters = model.edges, np.flatnonzero(model.free_fields)
            learned = LearnedMap(
                *(result, moments, table.codings, table.notes, tuple(heard)),
                groups=table.groups,
                details=table.details,
                overlap=overlap(table, *parameters) if table.n_missing and not robust and em is None else None,
                selection=selection,
                spread=row_spread(table, *parameters, self._reading.weight_kind) if robust else None,
                interval_kind=self._uncertainty.intervals,
                em=em,
                gaps=gaps,
                rows=LearnedRows.of_table(table),
            )
            return self._keep(learned, columns, named)

    def partial_fit(self, X, y=None, sample_weight=None) -> PlanarIsing:
        """Take more rows, of which only sums are kept; the model is learned when it is first asked for.

        A sequence of partial fits leads to the same model as one `fit` of all rows, to the last bit, however the rows
        are cut; labels may appear late. `fit` begins anew, and so does a partial fit after it. That the model is
        learned late means that warnings and errors of the fit come with the first look at `model_`, `learned_` or
        `score`; errors about the part itself come at once.

        Parameters
        ----------
        X : (n_samples, n_features) array, data frame, SpinTable or MomentAccumulator
        y : ignored
        sample_weight : (n_samples,) array, optional
            Frequency weights.

        Raises
        ------
        DataError
            If X is no table, or has other columns than the parts before.

        Notes
        -----
        The settings `positive`, `threshold`, `missing_label` and `missing` are those at the first part.
        Cost O(n_samples n_features^2 / 64).
        """
        check_values(self.get_params())
        self._refuse_about_rows("sums over the rows")
        rows = getattr(self, "_rows", None)
        if rows is None:
            rows = MomentAccumulator(**{name: getattr(self, name) for name in _OF_ROWS})
        rows.check_settings({name: getattr(self, name) for name in _OF_ROWS})
        if isinstance(X, MomentAccumulator):
            rows.merge(X)
        else:
            rows.add(X, sample_weight)
        vars(self).pop("_learned", None)  # it was learned from fewer rows
        self._rows, self.n_features_in_ = rows, len(rows.names or ())
        return self

    def _fit_counted(self, rows: CountedTable, named: bool) -> PlanarIsing:
        with listening():
            with heard_warnings() as heard:
                table = rows.screened(self._reading.missing, self._reading.constant)
                gaps = gaps_of(rows, self._reading.missing, table.names)
                moments = table.moments()
                result, _ = searched(self.get_params(), moments, rows.names)
            shared = table.overlap(result.model.edges, np.flatnonzero(result.model.free_fields))
            learned = LearnedMap(
                *(result, moments, table.codings, table.notes, tuple(heard)),
                groups=table.groups,
                details=table.details,
                overlap=shared,
                interval_kind=self._uncertainty.intervals,
                gaps=gaps,
                rows=LearnedRows.of_counted(table),
            )
            return self._keep(learned, rows.names, named)

    def _refuse_about_rows(self, there: str, clusters=None) -> None:
        """Refuse what is about single rows, where there are only sums over them."""
        if self.criterion == CROSS_VALIDATED:
            raise DataError(
                f"there are only {there} here, and criterion='cv' holds out single rows; give the table, or leave "
                "criterion='cv' out"
            )
        if clusters is not None or self._uncertainty.errors == "robust" or self._reading.weight_kind == SURVEY:
            raise DataError(
                f"there are only {there} here, and clusters, robust errors and weights of a survey (clusters=, "
                "errors='robust', weight_kind='survey') are about rows; leave them out"
            )

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
        self._refuse_about_rows("moments")
        vars(self).pop("_rows", None)
        if names is None and hasattr(moments, "columns"):
            names = [str(name) for name in moments.columns]
        with listening():
            with heard_warnings() as heard:
                given = moments_from_matrix(moments, n_samples, magnetizations=magnetizations, names=names)
                result, _ = searched(self.get_params(), given, given.names)
            notes = ("Learned from given moments; no rows were read.",)
            return self._keep(
                LearnedMap(*(result, given, None, notes, tuple(heard)), interval_kind=self._uncertainty.intervals),
                *(given.names, names is not None),
            )

    @with_resampling
    def stability(self, X, sample_weight=None, clusters=None, **resampling) -> Stability:
        """Learn the model as `fit` does, and again from resampled rows: which edges can be relied on.

        `learned_` has the answer too, and `write_results` writes it. The whole procedure is repeated with all settings
        of the estimator; `random_state` is the seed of the resamples, and `checkpoint` keeps those that are finished.

        Parameters
        ----------
        X, sample_weight, clusters
            As in `fit`. Whole clusters are drawn, and rows with weights of a survey carry these with them.
        {resampling}

        Returns
        -------
        Stability

        Raises
        ------
        DataError, ModelError, NoEstimateError, PrecisionError
            As in `fit`, and for rows that cannot be resampled.
        FileFormatError
            A checkpoint or a file of resamples is damaged, or belongs to other data or options.
        IsingMapError
            A worker process was killed.
        KeyboardInterrupt
            Ctrl-C before the first resample was finished; later, those that are finished are returned.
        TypeError
            For a name that is no setting.

        Warns
        -----
        DataWarning, FitWarning
            As in `fit`; of resamples nothing is said.
        """
        if isinstance(X, MomentAccumulator | CountedTable):
            raise DataError("resamples are drawn from the rows, and there are only sums over them here; give the table")
        refuse_to_resample(self.criterion, self.n_folds)
        check_given("stability", resampling, [setting.name for setting in options_of(StabilityOptions)])
        options = StabilityOptions(**resampling)
        with listening():
            has_clusters = clusters is not None or (isinstance(X, SpinTable) and X.clusters is not None)
            refuse_kind(options.kind, has_clusters, self.weight_kind)
            fit_to_the_end(self, X, sample_weight, clusters)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", IsingMapWarning)  # said by the fit
                given = self._table(X, self.positive, sample_weight, clusters)
                table = self._prepared(given)
            found = stability_of(self.get_params(), given.names, table, self.learned_, options)
        self._learned = replace(self.learned_, stability=found, settings=self._settings())
        return found

    def _prepared(self, table: SpinTable) -> SpinTable:
        """The table as it is learned from."""
        weighted = self._weighted(apply_missing(table, self._reading.missing))
        return screen(weighted, constant=self._reading.constant)

    def _table(self, X, positive, weights=None, clusters=None) -> SpinTable:
        about_rows = {"weights": weights, "clusters": clusters}
        if isinstance(X, SpinTable):
            return as_spin_table(X, **about_rows)
        return as_spin_table(
            X, positive=positive, threshold=self.threshold, missing_label=self.missing_label, **about_rows
        )

    def _weighted(self, table: SpinTable) -> SpinTable:
        """The table with weights that count rows, its clusters checked."""
        check_clusters(table)
        return as_survey(table) if self._reading.weight_kind == SURVEY else table

    def _robust(self, table: SpinTable) -> bool:
        """Whether errors come from the rows."""
        is_survey = self._reading.weight_kind == SURVEY
        return table.clusters is not None or is_survey or self._uncertainty.errors == "robust"

    def _keep(self, learned: LearnedMap, columns: tuple[str, ...], named: bool) -> PlanarIsing:
        self._learned = replace(learned, settings=self._settings())
        self._columns = columns
        self.n_features_in_ = len(columns)
        if named:
            self.feature_names_in_ = np.array(columns, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    @property
    def learned_(self) -> LearnedMap:
        if not hasattr(self, "_learned") and hasattr(self, "_rows"):
            self._rows.check_settings({name: getattr(self, name) for name in _OF_ROWS})
            self._fit_counted(self._rows.counted(), self._rows.are_named)
        if not hasattr(self, "_learned"):
            raise _not_fitted(self)
        return self._learned

    def _repr_html_(self) -> str | None:
        """The map that was learned, for notebooks; before that, and while rows are still added, the plain text."""
        learned = vars(self).get("_learned")
        return None if learned is None else html_of(learned)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_learned") or hasattr(self, "_rows")


def _not_fitted(estimator):
    """scikit-learn's own error where it is installed, so that its tools recognise it."""
    message = f"This {type(estimator).__name__} is not fitted yet; call fit or fit_moments first"
    try:
        from sklearn.exceptions import NotFittedError
    except ImportError:
        return AttributeError(message)
    return NotFittedError(message)
