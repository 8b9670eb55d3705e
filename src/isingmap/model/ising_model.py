"""IsingModel: names, edges, couplings and fields, and every exact question one can ask of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import fields as dataclass_fields

import numpy as np

from isingmap.data.table import counted
from isingmap.errors import ModelError
from isingmap.files.strict_json import write_json
from isingmap.interruption import listening
from isingmap.model.answers import ExactAnswers
from isingmap.model.arguments import check_free, indices_of, names_of, vector_of
from isingmap.model.evidence import ExpectedStatistics, expected_statistics, predict
from isingmap.model.json_format import arguments_of, document_of, read_document
from isingmap.model.queries import condition, kl_divergence
from isingmap.model.thermodynamics import Thermodynamics, thermodynamics
from isingmap.notebooks import html_of
from isingmap.planar.embedding import as_simple_edges


@dataclass(frozen=True, eq=False, init=False)
class IsingModel(ExactAnswers):
    """P(x) = exp(sum_i fields_i x_i + sum_e couplings_e x_i x_j) / Z on spins x in {-1, +1}^n.

    A positive coupling means that the two spins tend to agree. The model is immutable; all answers are exact as
    long as the graph with the auxiliary node of the fields is planar, or the graph is narrow (tables of 24 spins).

    Parameters
    ----------
    edges : (n_edges, 2) array of int, or of names
        Each pair once, in either direction; a pair given twice is an error, because nobody can know whether the
        couplings were meant to add or to repeat.
    couplings : (n_edges,) array of float
        Finite. The coupling 0 is allowed.
    fields : (n_spins,) array of float, optional
        Zero if left out.
    names : sequence of str, optional
        Default "x1", "x2", ...
    n_spins : int, optional
        Needed when neither names nor fields are given and the last spins have no edge.
    free_fields : (n_spins,) array of bool, optional
        Spins whose field is a parameter; default: those with a non-zero field. A field that is not free is zero.

    Attributes
    ----------
    names : tuple of str
    n_spins, n_edges : int
    edges : (n_edges, 2) int64 array, i < j, in the order given, read-only
    couplings : (n_edges,) float64 array, read-only
    fields : (n_spins,) float64 array, read-only
    free_fields : (n_spins,) bool array, read-only

    Raises
    ------
    ModelError
        When the arguments do not fit together.
    """

    names: tuple[str, ...]
    edges: np.ndarray
    couplings: np.ndarray
    fields: np.ndarray
    free_fields: np.ndarray

    def __init__(self, edges, couplings, fields=None, *, names=None, n_spins=None, free_fields=None):
        names, n_spins = names_of(edges, fields, names, n_spins)
        edges = np.sort(as_simple_edges(indices_of(edges, names), n_spins), axis=1)
        couplings = vector_of(
            couplings,
            len(edges),
            "couplings",
            "one for each edge",
            lambda k: f" ({' - '.join(names[v] for v in edges[k])})",
        )
        fields = np.zeros(n_spins) if fields is None else fields
        fields = vector_of(fields, n_spins, "fields", "one for each spin", lambda k: f" ({names[k]})")
        free_fields = fields != 0 if free_fields is None else np.array(free_fields, dtype=bool)
        if free_fields.shape != (n_spins,):
            raise ModelError(f"free_fields must have shape ({n_spins},), got {free_fields.shape}")
        check_free(fields, free_fields, names)
        self._fill(names=names, edges=edges, couplings=couplings, fields=fields, free_fields=free_fields)

    def _fill(self, **attributes) -> None:
        """Set attributes of a new model, arrays read-only."""
        for key, value in attributes.items():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
            object.__setattr__(self, key, value)

    def __getstate__(self) -> dict:
        """What is pickled and copied: the five fields, and nothing that has been computed from them."""
        return {field.name: getattr(self, field.name) for field in dataclass_fields(self)}

    def __setstate__(self, state: dict) -> None:
        self._fill(**state)

    def with_couplings(self, couplings, fields=None) -> IsingModel:
        """A model with the same names, edges and free fields, and other numbers.

        It shares with this one all that depends on the graph alone (`planned`: whether it is planar, its embedding, the
        order of elimination), whichever of them is asked first: of many parameter vectors on one graph, each costs only
        its numbers.

        Parameters
        ----------
        couplings : (n_edges,) array of float
        fields : (n_spins,) array of float, optional
            Those of this model when left out.

        Raises
        ------
        ModelError
            For a wrong shape, a number that is not finite, or a field that is not free and not zero.
        """
        couplings = vector_of(couplings, self.n_edges, "couplings", "one for each edge")
        fields = self.fields if fields is None else vector_of(fields, self.n_spins, "fields", "one for each spin")
        check_free(fields, self.free_fields, self.names)
        relative = object.__new__(type(self))
        relative._fill(**{**self.__getstate__(), "couplings": couplings, "fields": fields, "planned": self.planned})
        return relative

    def induced(self, kept: np.ndarray, fields: np.ndarray, free_fields: np.ndarray) -> IsingModel:
        """The model on the spins with the numbers `kept`, their couplings among each other and new fields, (n_spins,).

        Raises
        ------
        ModelError
            When nothing is kept.
        """
        place = np.full(self.n_spins, -1)
        place[kept] = np.arange(kept.size)
        inside = (place[self.edges] >= 0).all(axis=1)
        return IsingModel(
            place[self.edges[inside]],
            self.couplings[inside],
            np.where(free_fields, fields, 0.0)[kept],
            names=[self.names[k] for k in kept],
            free_fields=free_fields[kept],
        )

    def __repr__(self) -> str:
        kind = counted(int(self.free_fields.sum()), "field") if self.free_fields.any() else "zero-field"
        return f"IsingModel({counted(self.n_spins, 'spin')}, {counted(self.n_edges, 'edge')}, {kind})"

    def _repr_html_(self) -> str | None:
        """A small map and the strongest edges, for notebooks."""
        return html_of(self)

    @property
    def edge_names(self) -> list[tuple[str, str]]:
        """The two names of each edge."""
        return [(self.names[i], self.names[j]) for i, j in self.edges.tolist()]

    def condition(self, evidence: Mapping[str, int]) -> IsingModel:
        """The model of the other spins given observed ones, {name: -1 or +1}. See `queries.condition`.

        Raises
        ------
        ModelError
            For evidence that names no spin, is not -1 or +1, or covers everything.
        """
        return condition(self, evidence)

    @listening()
    def predict(self, spins) -> np.ndarray:
        """P(x_i = +1 | the observed cells of the row), (n_samples, n_spins). See `evidence.predict`.

        Raises
        ------
        ModelError
            For spins of the wrong shape or with other values.
        NonPlanarError, PrecisionError
            As in `log_partition`, of what is missing in a row.
        """
        return predict(self, spins)

    @listening()
    def expected_statistics(self, spins) -> ExpectedStatistics:
        """E[x_i x_j] of each edge, (n_samples, n_edges), and E[x_i], (n_samples, n_spins), given what each row shows.

        Exact for every pattern of missing cells (NaN). See `evidence.expected_statistics`.

        Raises
        ------
        ModelError
            For spins of the wrong shape or with other values.
        NonPlanarError, PrecisionError
            As in `log_partition`, of what is missing in a row.
        """
        return expected_statistics(self, spins)

    @listening()
    def log_weight_mean(self) -> float:
        """Mean of the log-weight; minus the mean energy.

        Raises
        ------
        NonPlanarError, PrecisionError
            As in `log_partition`.
        """
        return float(np.append(self.couplings, self.fields[self.free_fields]) @ self._solution.parameter_moments())

    @listening()
    def log_weight_variance(self) -> float:
        """Variance of the log-weight, exact: by one product with the Hessian.

        This is the heat capacity at temperature 1, in units of Boltzmann's constant.

        Raises
        ------
        NonPlanarError
            As in `log_partition`.
        PrecisionError
            As in `log_partition`, and when rounding could change it by more than one part in 10^8, absolute below 1.
        """
        return self._solution.log_weight_variance()

    @listening()
    def thermodynamics(self, betas) -> Thermodynamics:
        """log Z, energy, heat capacity and entropy at inverse temperatures; one plan for all of them.

        The energy of a configuration is minus its log-weight in this model, whose own temperature is 1. At the
        inverse temperature beta all couplings and fields are multiplied by beta.

        Parameters
        ----------
        betas : (k,) array of float
            Inverse temperatures, 0 or more, in any order, in units of one over the unit of the couplings.

        Returns
        -------
        Thermodynamics
            Arrays (k,), for the whole model and per spin. About six times the cost of log Z at each temperature.

        Raises
        ------
        ModelError
            For inverse temperatures that are negative or not finite, or that make couplings overflow.
        NonPlanarError
            As in `log_partition`.
        PrecisionError
            Where a temperature is so low that an answer is lost in rounding; says which.
        """
        return thermodynamics(self, betas)

    def kl_divergence(self, other: IsingModel) -> float:
        """D(self || other) in nats, for models on the same names in any order; exact.

        Raises
        ------
        ModelError
            When the two models are not about the same names.
        NonPlanarError, PrecisionError
            As in `log_partition`.
        """
        return kl_divergence(self, other)

    def save(self, path) -> None:
        """Write the model as JSON, replacing the file only when everything is written.

        Raises
        ------
        OSError
            When the file cannot be written; what was there stays.
        """
        write_json(path, document_of(self))

    @classmethod
    def load(cls, path) -> IsingModel:
        """Read a model written by `save`; the file is checked and never trusted.

        Raises
        ------
        FileFormatError
            When the file is not a model, or one of a later version.
        ModelError
            When its numbers do not fit together.
        OSError
            When it cannot be read.
        """
        return cls(**arguments_of(read_document(path), str(path)))
