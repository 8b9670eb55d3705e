"""What a fitted PlanarIsing says: what was learned, and the likelihood of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isingmap.data.convert import as_spin_table
from isingmap.data.missing import apply_missing
from isingmap.data.moments import EmpiricalMoments
from isingmap.data.options import EM
from isingmap.data.table import Coding, SpinTable, counted, listed
from isingmap.errors import DataError, DataWarning
from isingmap.missing_cells.expectation import observed_log_probability
from isingmap.model import IsingModel
from isingmap.structure.result import Exclusion, Path, SearchResult
from isingmap.warned import warn


class Fitted:
    """The half of PlanarIsing that is there once something was learned."""

    if TYPE_CHECKING:  # the settings are attributes, and so is what was learned

        def __getattr__(self, name: str) -> Any: ...

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
        the fit and X have names, else by their positions. A row with a missing cell is NaN under missing="drop"; under
        missing="em" the log-probability is that of what it shows.

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
        weights = table.row_weights
        known = ~np.isnan(each)
        if not weights[known].any():
            raise DataError("no complete row is left to score")
        return float(np.average(each[known], weights=weights[known]))

    def _scored(self, table: SpinTable) -> np.ndarray:
        rule = "error" if self._reading.missing == "pairwise" else self._reading.missing
        if rule == EM and table.n_missing:
            return observed_log_probability(self.model_, table.spins)
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
            )
