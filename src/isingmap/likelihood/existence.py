"""Does the maximum-likelihood estimate exist? The cycle inequalities, decided exactly.

For a planar graph the estimate exists iff |mu_e| < 1 on every edge and, for every cycle C and every odd F in C,

    sum_{C-F} mu - sum_F mu < |C| - 2,   that is   sum_{C-F} (1 - mu) + sum_F (1 + mu) > 2

(Barahona & Mahjoub 1986: these inequalities describe the cut polytope of graphs without a K5 minor). The left-hand
side is the length of a closed walk with an odd number of F-steps, so the worst cycle through an edge is a shortest
path in the doubled graph (node, parity). Newton's method does not notice: it stops at |theta| ~ 10 with a small
gradient.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.compiled import inlined, kernel
from isingmap.errors import NoEstimateError
from isingmap.inference.extended import AUXILIARY
from isingmap.likelihood.faces import Face, face_of_graph
from isingmap.likelihood.impossible import describe_face, value_text
from isingmap.planar.incidence import incidence
from isingmap.printable import printable

# A slack below this counts as zero: less than one row in 10^12; sums of fractional weights round by as much.
SLACK_TOLERANCE = 1e-12


@dataclass(frozen=True)
class Obstacle:
    """The pair or cycle whose inequality fails or holds with equality.

    `nodes` in cyclic order (two nodes: the pair itself), `odd_edges` the set F, `slack` left-hand side minus 2.
    """

    nodes: tuple[int, ...]
    odd_edges: tuple[tuple[int, int], ...]
    slack: float


@inlined
def _doubled_distances(source, target, skip, edges, moments, start, order, limit, previous):
    """Shortest walks from (source, even) to (target, even / odd) that avoid edge `skip`, up to length `limit`.

    State 2 v + parity; `previous` receives 2 * dart + (is the step in F?) for each state that is reached. What got
    nearer waits in line for its turn: within so short a limit that is as fast as a heap, and sooner compiled.
    """
    n_states = 2 * (start.size - 1)
    distance, line, waits = np.empty(n_states), np.empty(n_states, np.int64), np.empty(n_states, np.bool_)
    for state in range(n_states):
        distance[state] = np.inf
        waits[state] = False
    distance[2 * source] = 0.0
    line[0], waits[2 * source] = 2 * source, True
    first, n_waiting = 0, 1
    while n_waiting > 0:
        state = line[first]
        first, n_waiting, waits[state] = (first + 1) % n_states, n_waiting - 1, False
        v, d = state >> 1, distance[state]
        for k in range(start[v], start[v + 1]):
            dart = order[k]
            e = dart >> 1
            if e == skip:
                continue
            w = edges[e, 1 - (dart & 1)]
            for odd in range(2):
                following = 2 * w + ((state & 1) ^ odd)
                length = d + (1.0 + moments[e] if odd else 1.0 - moments[e])
                if length < distance[following] and length <= limit:
                    distance[following] = length
                    previous[following] = 2 * dart + odd
                    if not waits[following]:
                        line[(first + n_waiting) % n_states], waits[following] = following, True
                        n_waiting += 1
    return distance[2 * target], distance[2 * target + 1]


@kernel
def _closing_slack(i, j, skip, moment, edges, moments, start, order, previous):
    """(slack of the worst odd cycle through the edge i-j with this moment, parity of the rest of the cycle)."""
    limit = 2.0 + SLACK_TOLERANCE - min(1.0 - moment, 1.0 + moment)
    even, odd = _doubled_distances(i, j, skip, edges, moments, start, order, limit, previous)
    with_edge_odd = even + 1.0 + moment - 2.0
    with_edge_even = odd + 1.0 - moment - 2.0
    if with_edge_odd < with_edge_even:
        return with_edge_odd, 0
    return with_edge_even, 1


@kernel
def _first_bad_edge(n_nodes, edges, moments, start, order):
    previous = np.empty(2 * n_nodes, np.int64)
    for e in range(edges.shape[0]):
        slack, _ = _closing_slack(edges[e, 0], edges[e, 1], e, moments[e], edges, moments, start, order, previous)
        if slack < SLACK_TOLERANCE:
            return e
    return -1


def find_obstacle(n_nodes: int, edges: np.ndarray, moments: np.ndarray) -> Obstacle | None:
    """The first pair or cycle that makes the estimate infinite, or None when it exists.

    O(m) bounded shortest-path searches; each stops at length 2, so they stay local.
    """
    pairs = np.flatnonzero(1.0 - np.abs(moments) < SLACK_TOLERANCE)
    if pairs.size:
        i, j = edges[pairs[0]].tolist()
        return _pair_obstacle(i, j, moments[pairs[0]])
    start, order = incidence(n_nodes, edges)
    bad = _first_bad_edge(n_nodes, edges, moments, start, order)
    if bad < 0:
        return None
    i, j = edges[bad].tolist()
    return _cycle_obstacle(i, j, bad, moments[bad], n_nodes, edges, moments)


def closing_obstacle(i: int, j: int, moment: float, n_nodes: int, edges, moments) -> Obstacle | None:
    """What stands against adding the edge i-j to a graph whose estimate exists, or None."""
    if 1.0 - abs(moment) < SLACK_TOLERANCE:
        return _pair_obstacle(i, j, moment)
    return _cycle_obstacle(i, j, -1, moment, n_nodes, edges, moments)


def _pair_obstacle(i: int, j: int, moment: float) -> Obstacle:
    return Obstacle((i, j), ((i, j),) if moment < 0 else (), 1.0 - abs(float(moment)))


def _cycle_obstacle(i, j, skip, moment, n_nodes, edges, moments) -> Obstacle | None:
    start, order = incidence(n_nodes, edges)
    previous = np.empty(2 * n_nodes, np.int64)
    slack, parity = _closing_slack(i, j, skip, moment, edges, moments, start, order, previous)
    if slack >= SLACK_TOLERANCE:
        return None
    nodes, odd_edges = [j], []
    state = 2 * j + parity
    while state != 2 * i:
        dart, odd = divmod(int(previous[state]), 2)
        tail = int(edges[dart >> 1, dart & 1])
        if odd:
            odd_edges.append((tail, nodes[-1]))
        nodes.append(tail)
        state = 2 * tail + ((state & 1) ^ odd)
    if parity == 0:
        odd_edges.append((i, j))
    return Obstacle(tuple(nodes), tuple(odd_edges), float(slack))


def closing_slacks(pairs: np.ndarray, moments: np.ndarray, n_nodes: int, edges, edge_moments) -> np.ndarray:
    """Slack of the worst odd cycle that each of the pairs i-j would close, or of the pair itself; at most 1 counts."""
    start, order = incidence(n_nodes, edges)
    alone = 1.0 - np.abs(moments)
    return np.minimum(alone, _closing_slacks(n_nodes, pairs, moments, edges, edge_moments, start, order))


@kernel
def _closing_slacks(n_nodes, pairs, pair_moments, edges, moments, start, order):
    previous = np.empty(2 * n_nodes, np.int64)
    result = np.empty(pairs.shape[0])
    for k in range(pairs.shape[0]):
        result[k], _ = _closing_slack(
            pairs[k, 0], pairs[k, 1], -1, pair_moments[k], edges, moments, start, order, previous
        )
    return result


def describe(obstacle: Obstacle, names, codings=None) -> str:
    """The obstacle as a clause, in the names of the variables and, with their codings, in the labels of the data.

    Parameters
    ----------
    obstacle : Obstacle
    names : sequence of str
        Of the nodes.
    codings : sequence, optional
        What -1 (`negative`) and +1 (`positive`) of each node stand for, None for the auxiliary spin.
    """
    return printable(_described(obstacle, names, codings))


def _described(obstacle: Obstacle, names, codings) -> str:
    labels = [str(names[k]) for k in obstacle.nodes]
    odd = {frozenset(edge) for edge in obstacle.odd_edges}
    if len(labels) == 2:
        if obstacle.slack < -SLACK_TOLERANCE:
            return f"the moment of {labels[0]} and {labels[1]} lies outside [-1, 1]"
        a, b = obstacle.nodes
        return _event(a, b, not odd, names, codings, "always ")
    if obstacle.slack < -SLACK_TOLERANCE:
        return f"no distribution has these moments around the cycle {'-'.join([*labels, labels[0]])}"
    around = list(zip(obstacle.nodes, (*obstacle.nodes[1:], obstacle.nodes[0]), strict=True))
    if len(labels) == 3:
        return describe_face(_face_of(around, odd, names), names, codings)
    events = [_event(a, b, frozenset((a, b)) in odd, names, codings) for a, b in around]
    return f"in every observation exactly one of these holds: {'; '.join(events)}"


def _face_of(around, odd, names) -> Face:
    """The face of a cycle: in every observation the sum over C - F less that over F is |C| - 2."""
    auxiliary = next((k for edge in around for k in edge if names[k] == AUXILIARY), len(names))
    edges = tuple(sorted(edge, key=lambda k: (k == auxiliary, k)) for edge in around)
    weights = tuple(-1 if frozenset(edge) in odd else 1 for edge in around)
    return Face(tuple((i, j) for i, j in edges), weights, len(around) - 2, 0.0, auxiliary)


def _event(a: int, b: int, agree: bool, names, codings, how_often: str = "") -> str:
    """Two variables agree or differ; agreeing with the auxiliary spin is being +1."""
    if AUXILIARY in (names[a], names[b]):
        spin = b if names[a] == AUXILIARY else a
        return f"{names[spin]} is {how_often}{value_text(spin, agree, codings)}"
    return f"{names[a]} and {names[b]} {how_often}{'agree' if agree else 'differ'}"


def refuse_face(n_nodes: int, edges, moments, names, *, n_samples=None, prior=None, codings=None) -> None:
    """Say why a fit with a field on every spin, whose cycles forbid nothing, came to no maximum; nothing if unknown.

    Parameters
    ----------
    n_nodes : int
        The auxiliary node is the last one.
    edges : (m, 2) int array
    moments : (m,) array
        Shrunk by the prior, if there is one.
    names, codings : sequences
        See `describe`.
    n_samples : float, optional

    Raises
    ------
    NoEstimateError
        With the combination of values that never occurs.
    """
    face = face_of_graph(n_nodes, edges, moments, n_samples if prior is None else None)
    if face is not None:
        raise no_estimate_error(face, names, prior, codings)


def no_estimate_error(obstacle: Obstacle | Face, names, prior: float | None = None, codings=None) -> NoEstimateError:
    """The error for a graph on which a coupling would be infinite.

    With a prior that happens only where the moments belong to no distribution, and another prior is no remedy.
    """
    if isinstance(obstacle, Face):
        terms = zip(obstacle.edges, obstacle.weights, strict=True)
        return NoEstimateError(
            _message(describe_face(obstacle, names, codings), obstacle.slack, prior),
            cycle=[names[k] for k in obstacle.spins],
            slack=obstacle.slack,
            direction=[(names[i], names[j], weight) for (i, j), weight in terms],
        )
    return NoEstimateError(
        _message(describe(obstacle, names, codings), obstacle.slack, prior),
        cycle=[names[k] for k in obstacle.nodes],
        odd_edges=[(names[a], names[b]) for a, b in obstacle.odd_edges],
        slack=obstacle.slack,
    )


def _message(described: str, slack: float, prior: float | None) -> str:
    what = f"the maximum-likelihood estimate does not exist: {described}. Some couplings would be infinite"
    if prior is None and slack >= -SLACK_TOLERANCE:
        return what + (
            ". Give a prior (prior=1 adds one pseudo-observation spread evenly over all configurations), "
            "or leave one of these edges or variables out"
        )
    return what + (
        ". These moments do not come from one table of complete rows: leave one of these edges or variables out, "
        "or use moments of the same rows (missing='drop' or missing='minus')"
    )
