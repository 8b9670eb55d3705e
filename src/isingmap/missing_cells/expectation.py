"""What rows with missing cells say of a model: the likelihood of what was observed, and expected moments of all pairs.

Given the observed cells of a row, the missing ones fall into connected parts that know nothing of each other. So
E[x x'] is the product of the means, and inside a part their covariances; the likelihood is the weight of what was
observed and the partition functions of the parts. Rows that lack the same part in the same fields are solved together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from isingmap.cached import cached_property
from isingmap.data.tally import tally_rows
from isingmap.inference.pfaffian.blas import one_blas_thread
from isingmap.interruption import look
from isingmap.missing_cells.parts import MOST_ENUMERATED, ObservedRows, Part, expect_enumerated, flat, parts_of
from isingmap.model import IsingModel
from isingmap.model.evidence import fields_given

_JOBS_AT_ONCE = 20_000  # between two looks for Ctrl-C


@dataclass(frozen=True, eq=False)
class Expectation:
    """The E-step.

    Attributes
    ----------
    moments : (n_spins, n_spins) array
        Mean over the rows of E[x_i x_j | what the row shows].
    magnetizations : (n_spins,) array
    log_probabilities : (n_rows,) array
        log P(what the row shows), nats.
    log_likelihood : float
        Of all that was observed, total nats.
    log_partition : float
        Of the model.
    """

    moments: np.ndarray
    magnetizations: np.ndarray
    log_probabilities: np.ndarray
    log_likelihood: float
    log_partition: float


class Completion:
    """The rows beside one graph: which parts are missing where is found once, and asked for many couplings."""

    def __init__(self, edges: np.ndarray, observed: ObservedRows):
        self.observed = observed
        self.parts = parts_of(edges, observed.rows)
        self._planned: dict[tuple[int, bytes], IsingModel] = {}

    @cached_property
    def _jobs(self) -> tuple:
        """The parts that are enumerated, as the kernel reads them: each with every row that lacks it, by row."""
        small = [part for part in self.parts if part.members.size <= MOST_ENUMERATED]
        part_of = np.repeat(np.arange(len(small)), [part.rows.size for part in small])
        row_of = np.concatenate([np.empty(0, np.int64), *(part.rows for part in small)])
        by_row = np.argsort(row_of, kind="stable")
        return flat(small), part_of[by_row].astype(np.int64), row_of[by_row]

    @property
    def work(self) -> float:
        """Steps of the loops of an E-step, roughly; 10 ns each."""
        sizes = np.array([part.members.size for part in self.parts], float)
        n_rows = np.array([part.rows.size for part in self.parts], float)
        each = np.where(sizes > MOST_ENUMERATED, 3e5, 2.0**sizes * (10.0 + sizes**2))
        return float(n_rows @ each) + self.observed.rows.size * 10.0

    @cached_property
    def _of_complete(self) -> np.ndarray:
        """Sums of x_i x_j over the complete rows, exact."""
        whole = self.observed.are_complete
        return tally_rows(self.observed.rows[whole], self.observed.weights[whole]).products.rounded()

    def expectation(self, model: IsingModel) -> Expectation:
        """Moments and likelihood given what the rows show, exact.

        Raises
        ------
        NonPlanarError, PrecisionError
            As in `IsingModel.log_partition`, of the model and of what is missing in a row.
        KeyboardInterrupt
            Ctrl-C, between parts.
        """
        with one_blas_thread():
            return self._expectation(model)

    def _expectation(self, model: IsingModel) -> Expectation:
        rows, weights = self.observed.rows.astype(np.float64), self.observed.weights
        fields = fields_given(model, rows)
        first, second = model.edges.T
        means, log_p = rows.copy(), (rows[:, first] * rows[:, second]) @ model.couplings + rows @ model.fields
        covariances = np.zeros((model.n_spins,) * 2)
        flat_parts, part_of, row_of = self._jobs
        for start in range(0, part_of.size, _JOBS_AT_ONCE):
            look()
            now = slice(start, start + _JOBS_AT_ONCE)
            expect_enumerated(
                *(flat_parts, part_of[now], row_of[now], np.asarray(model.couplings), fields, weights),
                *(means, log_p, covariances),
            )
        for k, part in enumerate(self.parts):
            if part.members.size > MOST_ENUMERATED:
                self._solve_large(model, k, fields, means, log_p, covariances)
        log_partition = model.log_partition()
        log_p -= log_partition
        some, n_samples = ~self.observed.are_complete, self.observed.n_samples
        moments = self._of_complete + (means[some].T * weights[some]) @ means[some] + covariances
        moments = np.clip((moments + moments.T) / (2.0 * n_samples), -1.0, 1.0)
        np.fill_diagonal(moments, 1.0)
        return Expectation(moments, weights @ means / n_samples, log_p, float(weights @ log_p), log_partition)

    def _solve_large(self, model: IsingModel, k: int, fields, means, log_p, covariances) -> None:
        """A part too large to enumerate, by the engine: what `expect_enumerated` does."""
        part = self.parts[k]
        square, pairs = np.ix_(part.members, part.members), np.stack(np.triu_indices(part.members.size, 1), axis=1)
        for rows, solved in self.solved(model, k, fields):
            mean, both = solved.magnetizations(), np.eye(part.members.size)
            both[tuple(pairs.T)] = both[tuple(pairs.T[::-1])] = solved.correlations(pairs)
            means[np.ix_(rows, part.members)] = mean
            log_p[rows] += solved.log_partition()
            covariances[square] += self.observed.weights[rows].sum() * (both - np.outer(mean, mean))

    def solved(self, model: IsingModel, k: int, fields: np.ndarray) -> Iterator[tuple[np.ndarray, IsingModel]]:
        """Part number k as a model of its own in every different set of fields, and the rows that have these."""
        part = self.parts[k]
        for rows, values in part.by_fields(fields):
            look()
            key = k, (values != 0).tobytes()
            if key not in self._planned:
                self._planned[key] = _planned(part, values != 0)
            yield rows, self._planned[key].with_couplings(model.couplings[part.edges], values)


def _planned(part: Part, free_fields: np.ndarray) -> IsingModel:
    return IsingModel(part.ends, np.zeros(len(part.ends)), n_spins=part.members.size, free_fields=free_fields)


def observed_log_probability(model: IsingModel, spins: np.ndarray) -> np.ndarray:
    """log P(observed cells) of each row of -1, +1 and 0 for a missing cell, nats; 0 where a row shows nothing.

    Raises
    ------
    NonPlanarError, PrecisionError
        As in `IsingModel.log_partition`, of the model and of what is missing in a row.
    """
    rows, at = np.unique(np.asarray(spins, np.int8), axis=0, return_inverse=True)
    observed = ObservedRows(rows, np.ones(len(rows)))
    return Completion(model.edges, observed).expectation(model).log_probabilities[at.ravel()]
