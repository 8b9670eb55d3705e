"""The best planar model of a few spins, by trying every maximal planar graph: how far from it does a search end?"""

from functools import cache
from itertools import combinations

import numpy as np

MOST_ITERATIONS = 100


@cache
def maximal_planar_graphs(n_nodes: int) -> np.ndarray:
    """Every maximal planar graph on labelled nodes, (n_graphs, n_pairs) bool, pairs in lexicographic order.

    For n_nodes >= 4 a maximal planar graph has one embedding, so it is the set of its faces, and all of them are
    reached from one by flips of the diagonal of two neighbouring faces (Wagner 1936).
    """
    pairs = list(combinations(range(n_nodes), 2))
    if n_nodes <= 3:
        return np.ones((1, len(pairs)), bool)
    found = {_stacked(n_nodes)}
    waiting = list(found)
    while waiting:
        for neighbour in _flipped(waiting.pop()):
            if neighbour not in found:
                found.add(neighbour)
                waiting.append(neighbour)
    graphs = sorted({tuple(pair in edges for pair in pairs) for edges in map(edges_of, found)})
    assert len(graphs) == len(found)
    return np.array(graphs)


def edges_of(faces) -> set:
    return {pair for face in faces for pair in combinations(face, 2)}


def _stacked(n_nodes: int) -> frozenset:
    """Faces of the triangulation in which every node from the fourth on is put into the face {0, 1, previous}."""
    faces = {(0, 1, 2)}
    faces |= {(0, 1, n_nodes - 1)}
    for node in range(3, n_nodes):
        faces |= {(0, node - 1, node), (1, node - 1, node)}
    return frozenset(faces)


def _flipped(faces: frozenset):
    edges = edges_of(faces)
    for a, b in edges:
        first, second = (face for face in faces if a in face and b in face)
        (c,), (d,) = set(first) - {a, b}, set(second) - {a, b}
        if (min(c, d), max(c, d)) not in edges:
            flipped = {tuple(sorted((a, c, d))), tuple(sorted((b, c, d)))}
            yield (faces - {first, second}) | flipped


def planar_likelihoods(moments: np.ndarray) -> np.ndarray:
    """Maximal mean log-likelihood, nats per sample, of the zero-field model on each maximal planar graph.

    Newton's method with backtracking on all graphs at once, by the sum over the 2^(n-1) symmetric states. The
    moments must lie strictly inside the polytope of all distributions.
    """
    n_nodes = len(moments)
    graphs = maximal_planar_graphs(n_nodes)
    i, j = np.triu_indices(n_nodes, 1)
    bits = np.arange(2 ** (n_nodes - 1))[:, None] >> np.arange(n_nodes) & 1
    x = 1.0 - 2.0 * bits
    products = x[:, i] * x[:, j]  # (n_states, n_pairs)
    target = moments[i, j]
    theta = np.where(graphs, 0.5 * np.arctanh(target) / max(1.0, n_nodes / 4), 0.0)
    value, probability = _evaluate(theta, products, target)
    active = np.arange(len(graphs))
    for _ in range(MOST_ITERATIONS):
        gradient, step = _newton_steps(graphs[active], probability[active], products, target)
        going = np.abs(gradient).max(axis=1) > 1e-10
        if not going.any():
            return value
        active, gradient, step = active[going], gradient[going], step[going]
        slope = (gradient * step).sum(axis=1)
        length = np.minimum(1.0, 2.0 / np.abs(step).max(axis=1))
        for _ in range(40):
            candidate = theta[active] + length[:, None] * step
            new_value, new_probability = _evaluate(candidate, products, target)
            short = new_value < value[active] + 1e-4 * length * slope - 1e-14 * np.abs(new_value)
            if not short.any():
                break
            length[short] /= 2
        theta[active], value[active], probability[active] = candidate, new_value, new_probability
    raise AssertionError(f"{len(active)} of {len(graphs)} fits did not converge")


def _evaluate(theta, products, target):
    log_weight = theta @ products.T
    largest = log_weight.max(axis=1, keepdims=True)
    weight = np.exp(log_weight - largest)
    total = weight.sum(axis=1, keepdims=True)
    log_partition = (largest + np.log(2 * total))[:, 0]
    return theta @ target - log_partition, weight / total


def _newton_steps(graphs, probability, products, target):
    """Gradients and Newton steps; absent edges get the identity in their rows, and so the step 0."""
    n_pairs = products.shape[1]
    mean = probability @ products
    gradient = np.where(graphs, target - mean, 0.0)
    second = (products[:, :, None] * products[:, None, :]).reshape(len(products), -1)
    hessian = (probability @ second).reshape(-1, n_pairs, n_pairs) - mean[:, :, None] * mean[:, None, :]
    both = graphs[:, :, None] & graphs[:, None, :]
    hessian = np.where(both, hessian, np.eye(n_pairs))
    return gradient, np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]


def best_planar_likelihood(moments: np.ndarray) -> tuple[float, np.ndarray]:
    """(largest mean log-likelihood of a planar zero-field model, nats per sample; edges of the graph, (3 n - 6, 2))."""
    value = planar_likelihoods(moments)
    best = int(np.argmax(value))
    i, j = np.triu_indices(len(moments), 1)
    edges = np.stack([i, j], axis=1)[maximal_planar_graphs(len(moments))[best]]
    return float(value[best]), edges
