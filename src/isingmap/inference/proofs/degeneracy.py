"""How many ground states a planar model has, as an integer with a proof.

Blocks (biconnected components) do not depend on each other. A block that is not frustrated has two ground states; those
of another one are the lightest T-joins of its frustrated faces (`tight_joins.py`), whose number is the Pfaffian of a
sparse matrix of whole numbers, up to sign, in a limit (`modular_pfaffian.py`). It is computed modulo a prime so large
that the number, of which an upper bound is known, can be read off: it is the residue or its negative, whichever is
within the bound.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from isingmap.errors import PrecisionError
from isingmap.inference.proofs.modular_pfaffian import SingularError, TooMuchWorkError
from isingmap.inference.proofs.multiples import common_multiples
from isingmap.inference.proofs.tight_joins import TightJoins, tight_joins
from isingmap.inference.zero_field.plan import DualPlan, gauge
from isingmap.planar.blocks import block_labels, component_labels
from isingmap.planar.embedding import embed
from isingmap.planar.triangulation import triangulate
from isingmap.progress import at_work

# Exponents of prime numbers 2^p - 1 (Mersenne).
EXPONENTS = (127, 521, 1279, 2203, 3217, 4253, 9689, 11213, 19937, 23209)
# By so many bits the prime exceeds what is needed: that a wrong residue passes as a number within the bound would take
# a coincidence of 1 in 2^64.
SPARE_BITS = 64
# Multiplications, of numbers of up to so many bits, that are allowed: some minutes. Longer numbers take longer, by a
# power of their length.
MOST_WORK, FEW_BITS, GROWTH = 3e7, 3217, 1.6
SMALL_EXPONENT = 61


def degeneracy(plan: DualPlan, couplings) -> int:
    """Number of configurations of largest log-weight, x and -x counted both.

    On +-J grids 0.1 s at n = 400, 0.5 s at n = 2500, 5 s at n = 10 000.

    Parameters
    ----------
    plan : DualPlan
    couplings : (n_edges,) array
        Integer multiples of a common unit, which is found; see `common_multiples`.

    Raises
    ------
    ModelError
        When the couplings have no common unit.
    PrecisionError
        When a block may have more ground states than are counted in reasonable time.
    """
    multiples = common_multiples(np.asarray(couplings, dtype=np.float64)).astype(np.int64)
    own = np.flatnonzero(multiples)
    edges, multiples = np.ascontiguousarray(plan.edges[own]), multiples[own]
    count = 2 ** (1 + int(component_labels(plan.n_spins, edges).max()))
    for block in _frustrated_blocks(plan.n_spins, edges, multiples):
        with at_work("counting of ground states"):
            count *= _count(edges[block], multiples[block])
    return count


def _frustrated_blocks(n_spins: int, edges: np.ndarray, multiples: np.ndarray) -> list[np.ndarray]:
    """Numbers of the edges of each block with edges that cannot be satisfied all at once."""
    spins = gauge(n_spins, edges, multiples.astype(np.float64))  # they satisfy a spanning tree of each block
    unsatisfied = multiples * spins[edges[:, 0]] * spins[edges[:, 1]] < 0
    label = block_labels(n_spins, edges)
    order = np.argsort(label, kind="stable")
    blocks = np.split(order, np.flatnonzero(np.diff(label[order])) + 1)
    return [block for block in blocks if unsatisfied[block].any()]


def _count(edges: np.ndarray, multiples: np.ndarray) -> int:
    """Ground states of a frustrated block, x and -x as one."""
    nodes, ends = np.unique(edges, return_inverse=True)
    ends = np.ascontiguousarray(ends.reshape(-1, 2))
    joins = tight_joins(triangulate(embed(nodes.size, ends)), multiples)
    bits = _most_bits(nodes.size, ends, joins)
    exponent = next((p for p in EXPONENTS if p >= bits + SPARE_BITS), None)
    if exponent is None or not _is_feasible(joins, exponent):
        raise _too_many(nodes.size, bits)
    modulus = 2**exponent - 1
    residue = joins.count(modulus)
    count = min(residue, modulus - residue)
    assert 0 < count <= 2**bits, "more ground states than there can be"
    return count


def _most_bits(n_nodes: int, ends: np.ndarray, joins: TightJoins) -> int:
    """A number of bits that is enough: edges that are not tight are satisfied, and tie spins together."""
    tied = np.ascontiguousarray(ends[~joins.is_tight[: len(ends)]])
    return int(component_labels(n_nodes, tied).max())


def _is_feasible(joins: TightJoins, exponent: int) -> bool:
    """Whether the work is not too much, by doing it with small numbers first where it could be."""
    most_work = MOST_WORK * (FEW_BITS / exponent) ** GROWTH
    if exponent <= FEW_BITS:
        return True
    try:
        with suppress(SingularError):  # not modulo the prime that counts
            joins.count(2**SMALL_EXPONENT - 1, most_work)
    except TooMuchWorkError:
        return False
    return True


def _too_many(n_spins: int, bits: int) -> PrecisionError:
    return PrecisionError(
        f"the ground states of {n_spins} spins tied together cannot be counted in reasonable time: there may be up to "
        f"2^{bits} of them. Their number does not depend on the scale of the couplings; count those of a part of the "
        "model, or with some spins given (model.condition in Python)",
        loss=float("inf"),
    )
