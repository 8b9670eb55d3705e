"""What can go wrong, as exceptions that carry the evidence.

Every message says what was expected, what was found and what to do; the attributes carry the same facts for
programs. All errors derive from `IsingMapError`, so the command line can tell a user's mistake from a bug.
"""

from __future__ import annotations

from collections.abc import Sequence


class IsingMapError(Exception):
    """Base class of everything isingmap raises on purpose."""


class DataError(IsingMapError, ValueError):
    """A table, a column or a cell cannot be used as it is."""


class FileFormatError(DataError):
    """A file is not what its reader expects; the message names the file and the line or key."""


class OutputExistsError(IsingMapError, FileExistsError):
    """The place to write to is taken; nothing was overwritten."""


class ModelError(IsingMapError, ValueError):
    """Edges, couplings, fields or names do not make an Ising model."""


class NonPlanarError(ModelError):
    """The graph cannot be drawn in the plane, so planar inference does not apply.

    Attributes
    ----------
    kind : {"K5", "K3,3"}
        Which of Kuratowski's two graphs was found.
    subgraph : tuple of (node, node)
        Edges of a subdivision of it, in the caller's node labels.
    branch_nodes : tuple
        Its five or six branch nodes, in the caller's node labels.
    """

    def __init__(self, message: str, *, kind: str, subgraph: Sequence[tuple], branch_nodes: Sequence):
        super().__init__(message)
        self.kind = kind
        self.subgraph = tuple(subgraph)
        self.branch_nodes = tuple(branch_nodes)


class NoEstimateError(IsingMapError, ValueError):
    """The maximum-likelihood estimate does not exist: some coupling would be infinite.

    Attributes
    ----------
    cycle : tuple
        Nodes of the cycle (two nodes: a pair) whose inequality holds with equality, in the caller's labels; with a
        `direction` the nodes that it is about.
    odd_edges : tuple of (node, node)
        The odd edge set F of the inequality sum_{C-F} mu - sum_F mu <= |C| - 2.
    slack : float
        |C| - 2 minus the left-hand side (zero or negative; for a pair, 1 - |mu|).
    direction : tuple of (node, node, int)
        Where no cycle is the reason: weights of products x_i x_j (of x_i, beside the auxiliary spin) whose sum never
        exceeds its mean over the data, whatever the configuration; otherwise empty.
    """

    def __init__(
        self,
        message: str,
        *,
        cycle: Sequence,
        odd_edges: Sequence[tuple] = (),
        slack: float = 0.0,
        direction: Sequence[tuple] = (),
    ):
        super().__init__(message)
        self.cycle = tuple(cycle)
        self.odd_edges = tuple(odd_edges)
        self.slack = slack
        self.direction = tuple(direction)


class PrecisionError(IsingMapError, ArithmeticError):
    """Double precision cannot give the answer to the stated tolerance.

    Attributes
    ----------
    loss : float
        The measured bound on the absolute error of log Z.
    """

    def __init__(self, message: str, *, loss: float):
        super().__init__(message)
        self.loss = loss


class IsingMapWarning(UserWarning):
    """Base class of isingmap's warnings; each says what was done and what it means for the result."""


class DataWarning(IsingMapWarning):
    """Data that can be used but may mislead: rare or duplicate columns, dropped rows, unbalanced columns."""


class FitWarning(IsingMapWarning):
    """A fit or a search whose result must be read with care."""
