"""The matrix K' of the dual engine eliminated and inverted in ball arithmetic: every number has a proven error bound.

The order is the nested dissection of the double-precision engine. The leaves of the elimination tree are sparse and
go unit by unit over dictionaries; separators are dense and go through `arb_mat`, whose products run in C. In exact
arithmetic the Pfaffian of K' on any set of units is positive, so a step never fails for want of a pivot, only for
want of bits: then `TooFewBits` is raised.

Balls grow with the number of steps between a leaf and the root, not with the condition of K' alone; so the chunks
of a separator are merged again into wide blocks.

Everything is indexed by position in the order of elimination: 2 k and 2 k + 1 for the darts of the k-th unit. Rows
are dictionaries that hold the entries right of the diagonal only.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from flint import arb, arb_mat

from isingmap.inference.pfaffian.elimination import EliminationPlan
from isingmap.interruption import look

# Darts: wider blocks need fewer bits but more arithmetic; on grids from 20 x 20 to 100 x 100 this is the best.
LARGEST_BLOCK = 64


class TooFewBits(ArithmeticError):
    """A pivot's ball contains zero at the precision in force."""


class BallWeights(NamedTuple):
    """Entries of K': of the twin in the row of each dart, and the scale of its row and column; lists of balls."""

    twin: list
    scale: list


class Pair(NamedTuple):
    """The eliminated unit at positions a, a + 1 with pivot p: 1/p, and its two rows divided by p."""

    a: int
    inverse: arb
    row_a: dict
    row_b: dict


class Block(NamedTuple):
    """The eliminated dense block at positions low..high: its border, A^-1 and X = A^-1 B."""

    low: int
    high: int
    border: list
    inverse: arb_mat
    x: arb_mat | None


class BallFactors(NamedTuple):
    """Eliminated pairs and blocks in order, and det K' as a ball."""

    steps: list
    determinant: arb


def ball_weights(couplings: np.ndarray, signs: np.ndarray, stretch=1) -> BallWeights:
    """Entries of K' for gauged couplings, one for each edge of the triangulation, taken as exact doubles.

    All couplings are multiplied by `stretch`, a positive ball.
    """
    one = arb(1)
    twin, scale = [], []
    for theta, sign in zip(couplings.tolist(), signs[::2].tolist(), strict=True):
        root = (-stretch * arb(abs(theta))).exp() if theta else one
        across = root * root if theta < 0 else one
        twin += [across, -across] if sign > 0 else [-across, across]
        scale += [root if theta > 0 else one] * 2
    return BallWeights(twin, scale)


def dart_positions(plan: EliminationPlan) -> np.ndarray:
    """Position of each dart in the order of elimination, (n_darts,)."""
    position = np.empty(2 * plan.order.size, np.int64)
    position[2 * plan.order] = np.arange(0, position.size, 2)
    position[2 * plan.order + 1] = np.arange(1, position.size, 2)
    return position


def _assembled_rows(plan: EliminationPlan, weights: BallWeights) -> list[dict]:
    position = dart_positions(plan).tolist()
    rows: list[dict] = [{} for _ in position]
    scale = weights.scale
    for h, following in enumerate(plan.next_in_face.tolist()):
        here, there = position[h], position[following]
        entry = scale[h] * scale[following]
        if here < there:
            rows[here][there] = entry
        else:
            rows[there][here] = -entry
        if not h & 1:
            rows[here][here + 1] = weights.twin[h]
    return rows


def _spans(plan: EliminationPlan) -> list[tuple[int, int, bool]]:
    """(low, high, is_leaf) of each leaf of the elimination tree and of each separator, whose chunks form a chain."""
    spans: list[tuple[int, int, bool]] = []
    for front in plan.fronts:
        low, high, child = 2 * int(front["first"]), 2 * int(front["end"]), int(front["child"])
        in_chain = child >= 0 and plan.fronts[child]["sibling"] < 0 and not spans[-1][2]
        if in_chain and high - spans[-1][0] <= LARGEST_BLOCK:
            low, _, _ = spans.pop()
        spans.append((low, high, child < 0))
    return spans


def factorise_balls(plan: EliminationPlan, weights: BallWeights, *, graded: bool) -> BallFactors:
    """Eliminate K' at flint's precision. O(n^{3/2}) operations, O(n log n) memory; 7 s at n = 10 000.

    `graded` says how dense blocks are inverted: by LU, whose balls grow with the block but suit entries of very
    different size (strong frustrated couplings), or by an approximate inverse and a residual, whose balls grow with
    the condition alone. Either is right; the wrong one needs more bits.

    Raises
    ------
    TooFewBits
    """
    rows = _assembled_rows(plan, weights)
    steps = []
    determinant = arb(1)
    for low, high, is_leaf in _spans(plan):
        look()
        if is_leaf:
            for a in range(low, high, 2):
                pair, pivot = _eliminate_pair(rows, a)
                steps.append(pair)
                determinant *= pivot * pivot
        else:
            block, value = _eliminate_block(rows, low, high, "lu" if graded else "precond")
            steps.append(block)
            determinant *= value
    return BallFactors(steps, determinant)


def _eliminate_pair(rows, a):
    """Eliminate one unit: K[i, j] -= (a_i b_j - b_i a_j) / p for its neighbours i < j; (Pair, p)."""
    pivot = rows[a].pop(a + 1)
    if pivot.contains(0):
        raise TooFewBits
    inverse = 1 / pivot
    row_a = {i: x * inverse for i, x in rows[a].items()}
    row_b = rows[a + 1]
    for i, x in row_a.items():
        row_i = rows[i]
        minus_x = -x
        for j, y in row_b.items():
            if i < j:
                row_i[j] = row_i[j] + minus_x * y if j in row_i else minus_x * y
            elif j < i:
                row_j = rows[j]
                row_j[i] = row_j[i] + x * y if i in row_j else x * y
    rows[a] = rows[a + 1] = None
    return Pair(a, inverse, row_a, {j: y * inverse for j, y in row_b.items()}), pivot


def _eliminate_block(rows, low, high, algorithm):
    """Eliminate a dense block: D + B^T A^-1 B on its border; (Block, det A)."""
    own = rows[low:high]
    rows[low:high] = [None] * (high - low)
    border = sorted({j for row in own for j in row if j >= high})
    zero = arb(0)
    a = _skew(own, range(low, high))
    determinant = a.det()
    if determinant.contains(0):
        raise TooFewBits
    inverse = _inverse(a, algorithm)
    if not border:
        return Block(low, high, border, inverse, None), determinant
    b = arb_mat([[row.get(j, zero) for j in border] for row in own])
    x = inverse * b
    update = (b.transpose() * x).entries()
    for k, i in enumerate(border):
        row = rows[i]
        right = slice(k * len(border) + k + 1, (k + 1) * len(border))
        for j, y in zip(border[k + 1 :], update[right], strict=True):
            row[j] = row[j] + y if j in row else y
    return Block(low, high, border, inverse, x), determinant


def _skew(rows, positions):
    """The skew-symmetric matrix whose upper triangle stands in the dictionaries `rows`, one for each position."""
    zero = arb(0)
    square = [[row.get(j, zero) for j in positions] for row in rows]
    for i in range(len(rows)):
        for j in range(i):
            square[i][j] = -square[j][i]
    return arb_mat(square)


@functools.cache
def _identity(size):
    return arb_mat([[int(i == j) for j in range(size)] for i in range(size)])


def _inverse(matrix, algorithm):
    # Not arb_mat.inv: it changes the algorithm with the precision, so that more bits may give wider balls.
    try:
        return matrix.solve(_identity(matrix.nrows()), algorithm=algorithm)
    except ZeroDivisionError:
        raise TooFewBits from None


def selected_balls(plan: EliminationPlan, factors: BallFactors) -> list:
    """K'^-1[2 e, 2 e + 1] of each edge e of the triangulation, balls. Same cost as the factors (Takahashi)."""
    rows: list[dict] = [{} for _ in range(2 * plan.order.size)]
    for step in reversed(factors.steps):
        look()
        if isinstance(step, Block):
            _invert_block(step, rows)
    pairs = {step.a: step for step in factors.steps if isinstance(step, Pair)}
    position = dart_positions(plan)[::2].tolist()
    return [_entry(a, a + 1, rows, pairs) for a in position]


def _invert_block(block, rows):
    """Rows of the inverse at the block, given those of its border: -X G beside, A^-1 + X G X^T on the diagonal."""
    own = block.inverse
    width = len(block.border)
    beside = []
    if block.border:
        side = block.x * _skew([rows[i] for i in block.border], block.border)
        own = own + side * block.x.transpose()
        beside = (-side).entries()
    size = block.high - block.low
    diagonal = own.entries()
    for k in range(size):
        row = dict(zip(block.border, beside[k * width : (k + 1) * width], strict=True))
        row.update(zip(range(block.low + k + 1, block.high), diagonal[k * size + k + 1 : (k + 1) * size], strict=True))
        rows[block.low + k] = row


def _entry(i, j, rows, pairs):
    """Entry (i, j) of the inverse, i < j, inside the pattern of the factors; computed once, on demand.

    At an eliminated unit (a, b): G[a, j] = sum_k b_k G[k, j] / p and G[b, j] = -sum_k a_k G[k, j] / p, and
    G[a, b] = -1/p - sum_k G[a, k] a_k / p. The recursion goes up a leaf of the elimination tree, which is short.
    """
    known = rows[i].get(j)
    if known is not None:
        return known
    pair = pairs[i & -2]
    if j == i + 1 and not i & 1:
        terms = (x * _entry(i, k, rows, pairs) for k, x in pair.row_a.items())
        value = -pair.inverse - sum(terms, arb(0))
    else:
        terms = (x * _signed_entry(k, j, rows, pairs) for k, x in (pair.row_a if i & 1 else pair.row_b).items())
        value = sum(terms, arb(0))
        value = -value if i & 1 else value
    rows[i][j] = value
    return value


def _signed_entry(i, j, rows, pairs):
    if i < j:
        return _entry(i, j, rows, pairs)
    return -_entry(j, i, rows, pairs) if j < i else arb(0)


def full_balls(plan: EliminationPlan, factors: BallFactors) -> list:
    """The whole inverse of K', a list of rows by dart. O(n^{5/2}) operations, n^2 memory."""
    size = 2 * plan.order.size
    zero = arb(0)
    rows = [[zero] * size for _ in range(size)]
    for step in reversed(factors.steps):
        look()
        if isinstance(step, Pair):
            _fill_pair(step, rows)
        else:
            _fill_block(step, rows)
    position = dart_positions(plan).tolist()
    return [[rows[i][j] for j in position] for i in position]


def _set_skew(rows, i, j, value):
    rows[i][j] = value
    rows[j][i] = -value


def _fill_pair(pair, rows):
    """All entries at a unit's two positions to the right of them."""
    a, size = pair.a, len(rows)
    zero = arb(0)
    from_b = [(x, rows[k]) for k, x in pair.row_b.items()]
    from_a = [(x, rows[k]) for k, x in pair.row_a.items()]
    for j in range(a + 2, size):
        _set_skew(rows, a, j, sum((x * row[j] for x, row in from_b), zero))
        _set_skew(rows, a + 1, j, -sum((x * row[j] for x, row in from_a), zero))
    corner = sum((x * rows[a][k] for k, x in pair.row_a.items()), zero)
    _set_skew(rows, a, a + 1, -pair.inverse - corner)


def _fill_block(block, rows):
    """All entries at a block's positions to the right of them."""
    low, high = block.low, block.high
    own = block.inverse
    if block.border:
        side = (block.x * arb_mat([rows[k][high:] for k in block.border])).tolist()
        near = arb_mat([[row[k - high] for k in block.border] for row in side])
        own = own + near * block.x.transpose()
        for i, row in enumerate(side, low):
            for j, value in enumerate(row, high):
                _set_skew(rows, i, j, -value)
    for i, row in enumerate(own.tolist()):
        for j in range(i + 1, high - low):
            _set_skew(rows, low + i, low + j, row[j])
