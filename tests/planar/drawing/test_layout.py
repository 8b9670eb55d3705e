"""Straight-line drawings: no crossings, whatever the graph; the same for every order of the edges."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import Delaunay

from isingmap.errors import NonPlanarError
from isingmap.planar.drawing import layout as drawing
from isingmap.planar.drawing import spreading
from isingmap.planar.drawing.disc import fill, outer_face
from isingmap.planar.drawing.layout import kamada_kawai_layout, planar_layout, straight_line_positions
from isingmap.planar.drawing.segment_crossings import has_crossings
from isingmap.planar.embedding import embed, faces

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")


def path(n):
    return [(k, k + 1) for k in range(n - 1)]


def cycle(n):
    return [*path(n), (0, n - 1)]


def star(n):
    return [(0, k) for k in range(1, n)]


def wheel(n):
    return star(n) + [(k, k % (n - 1) + 1) for k in range(1, n)]


def grid(rows, columns):
    node = np.arange(rows * columns).reshape(rows, columns)
    across, down = (node[:, :-1], node[:, 1:]), (node[:-1], node[1:])
    return np.concatenate([np.column_stack([a.ravel(), b.ravel()]) for a, b in (across, down)])


def random_tree(n, rng):
    return [(int(rng.integers(max(0, k - 8), k)), k) for k in range(1, n)]


def random_planar(n, keep, rng):
    """A random subset of the edges of a Delaunay triangulation, nodes in random order."""
    simplices = Delaunay(rng.normal(size=(n, 2))).simplices
    edges = np.concatenate([simplices[:, pair] for pair in ([0, 1], [1, 2], [0, 2])])
    edges = np.unique(np.sort(edges, axis=1), axis=0)
    return edges[rng.random(len(edges)) < keep]


def stacked(n, *, rng=None):
    """Nested triangles: each new node inside a random triangle, or always inside the newest (the deepest)."""
    inside, edges = [(0, 1, 2)], [(0, 1), (1, 2), (0, 2)]
    for v in range(3, n):
        a, b, c = inside.pop(-1 if rng is None else int(rng.integers(len(inside))))
        edges += [(a, v), (b, v), (c, v)]
        inside += [(a, b, v), (b, c, v), (a, c, v)]
    return edges


def crossings_by_parameters(positions, edges):
    """Whether two edges without a shared node cross properly: an independent, slow test."""
    for e, (a, b) in enumerate(edges):
        for c, d in edges[:e]:
            if len({a, b, c, d}) < 4:
                continue
            u, v, w = positions[b] - positions[a], positions[d] - positions[c], positions[c] - positions[a]
            turn = u[0] * v[1] - u[1] * v[0]
            if turn != 0:
                s, t = (w[0] * v[1] - w[1] * v[0]) / turn, (w[0] * u[1] - w[1] * u[0]) / turn
                if 0 <= s <= 1 and 0 <= t <= 1:
                    return True
    return False


def rotation(positions, edges):
    """Neighbours of each node by angle, clockwise, from the smallest on."""
    around = {}
    for a, b in np.concatenate([edges, np.asarray(edges)[:, ::-1]]).tolist():
        around.setdefault(a, []).append(b)
    turned = {}
    for v, others in around.items():
        angle = np.arctan2(*(positions[others] - positions[v]).T[::-1])
        order = [others[k] for k in np.argsort(-angle)]
        first = order.index(min(order))
        turned[v] = order[first:] + order[:first]
    return turned


GRAPHS = {
    "nothing": (0, []),
    "one node": (1, []),
    "two nodes": (2, []),
    "one edge": (2, [(0, 1)]),
    "path of 3": (3, path(3)),
    "triangle": (3, cycle(3)),
    "K4": (4, wheel(4)),
    "no edges": (30, []),
    "path": (40, path(40)),
    "cycle": (40, cycle(40)),
    "star": (40, star(40)),
    "wheel": (40, wheel(40)),
    "grid": (49, grid(7, 7)),
    "tree": (60, random_tree(60, np.random.default_rng(3))),
    "bull": (5, [(0, 1), (1, 2), (0, 2), (0, 3), (1, 4)]),
    "two triangles at a node": (5, [(0, 1), (1, 2), (0, 2), (0, 3), (3, 4), (0, 4)]),
    "K2,30": (32, [(k, v) for v in range(2, 32) for k in range(2)]),
    "disconnected": (60, [*grid(4, 4), *(np.array(wheel(9)) + 20), (40, 41), (50, 59)]),
    "Delaunay": (96, random_planar(96, 1.0, np.random.default_rng(1))),
    "sparse Delaunay": (96, random_planar(96, 0.6, np.random.default_rng(1))),
    "stacked": (96, stacked(96, rng=np.random.default_rng(0))),
    "deepest": (96, stacked(96)),
}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("draw", [planar_layout, straight_line_positions])
def test_no_crossings(draw, name):
    n, edges = GRAPHS[name]
    positions = draw(n, edges)
    assert positions.shape == (n, 2)
    assert positions.dtype == np.float64
    assert not has_crossings(positions, edges)
    assert not crossings_by_parameters(positions, edges)


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("draw", [planar_layout, kamada_kawai_layout])
def test_fills_the_unit_box(draw, name):
    n, edges = GRAPHS[name]
    positions = draw(n, edges)
    assert (positions >= -1e-12).all()
    assert (positions <= 1 + 1e-12).all()
    if n > 1:
        assert np.ptp(positions, axis=0).max() == pytest.approx(1.0)
        assert len(np.unique(positions.round(6), axis=0)) == n


@settings(max_examples=60, deadline=None)
@given(st.integers(4, 40), st.floats(0.1, 1.0), st.integers(0, 2**32 - 1))
def test_no_crossings_on_random_planar_graphs(n, keep, seed):
    rng = np.random.default_rng(seed)
    edges = random_planar(n, keep, rng)
    positions = planar_layout(n, edges)
    assert not has_crossings(positions, edges)
    assert not crossings_by_parameters(positions, edges)
    assert not has_crossings(straight_line_positions(n, edges), edges)


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 60), st.integers(0, 2**32 - 1))
def test_no_crossings_on_trees_and_stacks(n, seed):
    rng = np.random.default_rng(seed)
    for edges in (random_tree(n, rng), stacked(max(n, 4), rng=rng)):
        assert not has_crossings(planar_layout(max(n, 4), edges), edges)


def test_keeps_the_embedding():
    """In a triangulation the embedding is unique up to a mirror; the drawing shows it."""
    n, edges = GRAPHS["Delaunay"]
    embedding = embed(n, edges)
    grid_shown, shown = (rotation(draw(n, edges), edges) for draw in (straight_line_positions, planar_layout))
    mirrored = {v: [others[0], *others[:0:-1]] for v, others in grid_shown.items()}
    assert shown in (grid_shown, mirrored)
    assert len(faces(embedding)) == 2 - n + len(edges)


def test_is_the_same_for_every_order_and_direction_of_edges():
    n, edges = GRAPHS["sparse Delaunay"]
    rng = np.random.default_rng(5)
    shuffled = rng.permutation(edges)
    turned = np.where(rng.random(len(edges))[:, None] < 0.5, shuffled, shuffled[:, ::-1])
    np.testing.assert_array_equal(planar_layout(n, edges), planar_layout(n, turned))
    np.testing.assert_array_equal(straight_line_positions(n, edges), straight_line_positions(n, turned))


def test_a_hundred_nodes_are_spread_out():
    """Nearest neighbours are far apart on the scale of an even spread, 1 / sqrt(n)."""
    n, edges = GRAPHS["Delaunay"]

    def nearest(positions):
        apart = np.hypot(*(positions[:, None] - positions[None]).transpose(2, 0, 1))
        np.fill_diagonal(apart, np.inf)
        return apart.min(axis=1) * np.sqrt(n)

    assert nearest(planar_layout(n, edges)).min() > 0.25
    lengths = np.hypot(*np.diff(planar_layout(n, edges)[edges], axis=1)[:, 0].T)
    assert lengths.std() / lengths.mean() < 0.7


def test_deep_nesting_is_opened_too():
    n, edges = GRAPHS["deepest"]
    positions = planar_layout(n, edges)
    lengths = np.hypot(*np.diff(positions[np.array(edges)], axis=1)[:, 0].T)
    assert lengths.min() > 0.002


def test_a_thousand_nodes():
    edges = random_planar(1000, 0.9, np.random.default_rng(2))
    assert not has_crossings(planar_layout(1000, edges), edges)


def test_crossed_result_is_never_returned(monkeypatch):
    monkeypatch.setattr(drawing, "spread", lambda start, *_: start[::-1])
    n, edges = GRAPHS["grid"]
    assert not has_crossings(planar_layout(n, edges), edges)


def test_non_planar_graph_is_named():
    pairs = [(i, j) for j in range(5) for i in range(j)]
    for draw in (planar_layout, straight_line_positions):
        with pytest.raises(NonPlanarError, match="K5 with branch nodes a, b, c, d, e"):
            draw(5, pairs, labels="abcde")


def test_the_outer_face_of_a_grid_is_outside():
    embedding = embed(49, grid(7, 7))
    walks = [embedding.tail[walk] for walk in faces(embedding)]
    assert walks[outer_face(49, walks)].size == 24


@pytest.mark.parametrize("name", ["one edge", "bull", "tree", "K2,30", "grid", "deepest", "two triangles at a node"])
def test_filled_disc_is_a_triangulated_disc(name):
    n, edges = GRAPHS[name]
    disc = fill(embed(n, edges))
    sides = np.sort(np.concatenate([disc.triangles[:, pair] for pair in ([0, 1], [1, 2], [2, 0])]), axis=1)
    assert (sides[:, 0] != sides[:, 1]).all()
    _, uses = np.unique(sides, axis=0, return_counts=True)
    assert uses.max() == 2
    assert (uses == 1).sum() == disc.rim.size
    assert disc.n_nodes - len(disc.edges) + len(disc.triangles) == 1
    assert {tuple(sorted(map(int, edge))) for edge in edges} <= set(map(tuple, disc.edges.tolist()))


def test_spreading_lowers_the_energy_and_keeps_every_triangle():
    n, edges = GRAPHS["sparse Delaunay"]
    component = drawing.component_labels(n, np.asarray(edges))
    nodes = np.flatnonzero(component == np.bincount(component).argmax())
    own = np.searchsorted(nodes, np.asarray(edges)[np.isin(edges, nodes).all(axis=1)])
    disc = fill(embed(nodes.size, own))
    start, fixed = drawing._in_circle(disc)
    springs = spreading.Springs(disc.edges, np.full(len(disc.edges), 0.2))
    end = spreading.spread(start, fixed, disc.triangles, disc.weights, springs)
    assert (spreading.double_areas(end, disc.triangles) > 0).all()
    np.testing.assert_array_equal(end[fixed], start[fixed])
    energies = [spreading._energy(p, disc.triangles, disc.weights, springs) for p in (start, end)]
    assert energies[1] < energies[0] - 1


def test_gradient_by_finite_differences():
    disc = fill(embed(9, grid(3, 3)))
    position, _ = drawing._in_circle(disc)
    springs = spreading.Springs(disc.edges, np.linspace(0.1, 0.9, len(disc.edges)))
    gradient, _ = spreading._expand(position, disc.triangles, disc.weights, springs)
    for v, axis in ((0, 0), (4, 1), (disc.n_nodes - 1, 0)):
        ends = []
        for step in (-1e-5, 1e-5):
            moved = position.copy()
            moved[v, axis] += step
            ends.append(spreading._energy(moved, disc.triangles, disc.weights, springs))
        assert gradient[v, axis] == pytest.approx((ends[1] - ends[0]) / 2e-5, rel=1e-6)


class TestHasCrossings:
    SQUARE = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], float)

    def test_square_and_its_diagonals(self):
        assert not has_crossings(self.SQUARE, cycle(4))
        assert not has_crossings(self.SQUARE, [*cycle(4), (0, 2)])
        assert has_crossings(self.SQUARE, [*cycle(4), (0, 2), (1, 3)])

    @pytest.mark.parametrize(
        ("positions", "edges"),
        [
            ([(0, 0), (2, 0), (1, 0)], [(0, 1)]),  # a lone node on an edge
            ([(0, 0), (2, 0), (1, 0)], [(0, 1), (0, 2)]),  # edges on top of each other
            ([(0, 0), (2, 0), (1, 0), (1, 1)], [(0, 1), (2, 3)]),  # an end on an edge
            ([(0, 0), (2, 0), (1, 0), (3, 0)], [(0, 1), (2, 3)]),  # overlapping on a line
            ([(0, 0), (1, 0), (0, 0)], [(0, 1)]),  # two nodes at one place
            ([(0, 0), (0, 0)], []),
            ([(0, 0), (0, 0)], [(0, 1)]),
            ([(0, 0), (np.nan, 0)], [(0, 1)]),
            ([(0.1, 0.1), (0.3, 0.3), (0.2, 0.2)], [(0, 1)]),
        ],
    )
    def test_touching(self, positions, edges):
        assert has_crossings(positions, edges)

    @pytest.mark.parametrize(
        ("positions", "edges"),
        [
            ([(0, 0), (1, 0), (2, 0), (3, 0)], [(0, 1), (2, 3)]),  # apart on a line
            ([(0, 0), (1, 0), (2, 0)], [(0, 1), (1, 2)]),  # one after the other on a line
            ([(0, 0), (2, 0), (1, 5e-324)], [(0, 1)]),  # above the edge by the smallest number
            ([(0.1, 0.1), (0.3, 0.3), (0.2, np.nextafter(0.2, 1))], [(0, 1)]),
        ],
    )
    def test_apart(self, positions, edges):
        assert not has_crossings(positions, edges)

    def test_agrees_with_the_slow_test_on_random_points(self):
        rng = np.random.default_rng(0)
        for _ in range(60):
            positions = rng.random((8, 2))
            edges = random_tree(8, rng)[: int(rng.integers(1, 8))]
            assert has_crossings(positions, edges) == crossings_by_parameters(positions, edges)


def test_kamada_kawai_reflects_distance():
    positions = kamada_kawai_layout(5, path(5))
    steps = np.hypot(*np.diff(positions, axis=0).T)
    np.testing.assert_allclose(steps, steps.mean(), rtol=0.05)
    assert np.hypot(*(positions[4] - positions[0])) > 3 * steps.mean()


@pytest.mark.parametrize("draw", [planar_layout, kamada_kawai_layout])
def test_components_lie_apart(draw):
    n, edges = GRAPHS["disconnected"]
    positions = draw(n, edges)
    first, second, rest = positions[:16], positions[20:29], positions[[16, 17, 18, 19, *range(42, 50)]]
    for one, other in ((first, second), (first, rest), (second, rest)):
        gap = np.maximum(other.min(axis=0) - one.max(axis=0), one.min(axis=0) - other.max(axis=0))
        assert gap.max() > 0
