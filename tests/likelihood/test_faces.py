"""A field on every variable: a fit is refused with a combination that never occurs, proved, and for no other reason."""

import itertools

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog

from isingmap import PlanarIsing
from isingmap.data.table import Coding
from isingmap.errors import FitWarning, NoEstimateError, PrecisionError
from isingmap.likelihood import newton
from isingmap.likelihood.faces import Face, find_face
from isingmap.likelihood.fit import fit_couplings
from isingmap.likelihood.impossible import describe_face

K4 = list(itertools.combinations(range(4), 2))


def configurations(n_spins):
    return np.array(list(itertools.product([-1, 1], repeat=n_spins)))


def statistics(x, edges):
    i, j = np.array(edges).T
    return np.hstack([x[:, i] * x[:, j], x])


def is_inside(x, edges, rows):
    """Whether the mean of the rows' statistics is a mixture of all configurations with positive weights."""
    everything, mean = statistics(x, edges), statistics(rows, edges).mean(axis=0)
    k = len(x)
    equal = np.vstack([np.hstack([everything.T, np.zeros((everything.shape[1], 1))]), np.append(np.ones(k), 0.0)])
    least = linprog(
        np.append(np.zeros(k), -1.0),  # the largest smallest weight
        A_eq=equal,
        b_eq=np.append(mean, 1.0),
        A_ub=np.hstack([-np.eye(k), np.ones((k, 1))]),
        b_ub=np.zeros(k),
        bounds=[(0, None)] * k + [(None, None)],
    )
    return -least.fun > 1e-9


def planar_graph(rng, n_spins, required=()):
    edges = list(required)
    for pair in rng.permutation(list(itertools.combinations(range(n_spins), 2))).tolist():
        if tuple(pair) not in edges and rng.random() < 0.9 and nx.check_planarity(nx.Graph([*edges, pair]))[0]:
            edges.append(tuple(pair))
    return edges


def small_table(seed):
    """Rows of a few spins; in half of the tables the first four never hold zero, three or four of some statements."""
    rng = np.random.default_rng(seed)
    n_spins = int(rng.integers(3, 7))
    x = configurations(n_spins)
    probability = rng.random(len(x)) ** 2
    if seed % 2 and n_spins >= 4:
        number = (x[:, :4] * rng.choice([-1, 1], 4) > 0).sum(axis=1)
        probability[np.isin(number, [0, 3, 4])] = 0.0
    rows = x[rng.choice(len(x), size=int(rng.integers(30, 400)), p=probability / probability.sum())]
    return x, planar_graph(rng, n_spins, K4 if not probability.all() else ()), rows


def holds(error, names, x, rows):
    """Whether the direction of a refusal is one in which no configuration gets beyond the mean of the rows."""
    at = {name: k for k, name in enumerate(names)}
    values = [np.zeros(len(which)) for which in (x, rows)]
    for first, second, weight in error.direction:
        for value, which in zip(values, (x, rows), strict=True):
            value += weight * which[:, at[first]] * (which[:, at[second]] if second in at else 1)
    return values[0].max() * len(rows) == values[1].sum() and values[0].min() < values[0].max()


def test_refused_fits_have_a_proof_and_accepted_ones_a_maximum():
    refused_by_face = accepted = 0
    for seed in range(80):
        x, edges, rows = small_table(seed)
        if not edges or (np.abs(rows.mean(axis=0)) == 1).any():
            continue
        names = [f"x{k + 1}" for k in range(x.shape[1])]
        try:
            fit = fit_couplings(
                edges,
                rows.T @ rows / len(rows),
                magnetizations=rows.mean(axis=0),
                n_samples=len(rows),
                names=names,
                fields_in_plane=False,
            )
        except NoEstimateError as error:
            assert not is_inside(x, edges, rows)
            if not error.odd_edges and len(error.cycle) > 2:
                refused_by_face += 1
                assert holds(error, names, x, rows)
        else:
            accepted += 1
            assert fit.converged and is_inside(x, edges, rows)
    assert refused_by_face >= 10 and accepted >= 20


def answers(n_rows=500):
    """Four questions of which one or two are answered with yes, by everybody."""
    x = configurations(4)
    allowed = x[np.isin((x > 0).sum(axis=1), [1, 2])]
    rows = allowed[np.random.default_rng(0).integers(len(allowed), size=n_rows)]
    return pd.DataFrame(np.where(rows > 0, "yes", "no"), columns=list("abcd"))


SAID = "of a = yes, b = yes, c = yes and d = yes never exactly 0, 3 or 4 hold"


def test_required_edges_without_a_maximum_are_refused_in_the_labels_of_the_data():
    required = list(itertools.combinations("abcd", 2))
    with pytest.raises(NoEstimateError, match=SAID) as caught:
        PlanarIsing(required_edges=required).fit(answers())
    assert len(caught.value.direction) == 10 and caught.value.cycle == tuple("abcd")
    fit = PlanarIsing(required_edges=required, prior=1).fit(answers())  # the advice
    assert fit.model_.n_edges == 6


def test_a_graph_drawn_at_once_is_refused_in_the_labels_of_the_data():
    with pytest.raises(NoEstimateError, match=SAID):
        PlanarIsing(search="tmfg").fit(answers())


def test_a_pair_left_out_says_which_combination_never_occurs():
    with pytest.warns(FitWarning, match=rf"1 coupling was left out because it would be infinite: . - . \({SAID}\)"):
        fit = PlanarIsing(criterion="maximal").fit(answers())
    assert [(pair.reason, pair.too_strong) for pair in fit.excluded_] == [(SAID, False)]


def test_a_face_of_many_variables_is_told_by_its_own():
    """Sixteen other variables on the same block, with chains between them."""
    rng = np.random.default_rng(1)
    few = np.where(answers(2000).to_numpy() == "yes", 1, -1)
    others = np.cumprod(np.where(rng.random((2000, 16)) < 0.7, 1, -1), axis=1) * few[:, :1]
    rows = np.hstack([few, others])
    edges = np.array([*K4, *((k, k + 1) for k in range(3, 19)), (19, 0), (6, 9), (9, 12)])
    fields = np.stack([np.arange(20), np.full(20, 20)], axis=1)
    face = find_face(np.arange(21), np.vstack([edges, fields]), statistics(rows, edges).mean(axis=0), 2000)
    assert face.spins == (0, 1, 2, 3) and face.slack == 0.0


def test_no_face_is_found_inside():
    rows = np.random.default_rng(2).choice([-1, 1], (200, 4))
    extended = np.array([*K4, *((k, 4) for k in range(4))])
    assert find_face(np.arange(5), extended, statistics(rows, K4).mean(axis=0), 200) is None


def test_without_a_proof_it_is_called_a_suspicion(monkeypatch):
    monkeypatch.setattr(newton, "STRONG", 0.1)
    monkeypatch.setattr(newton, "SETTLED", -1.0)
    rows = np.random.default_rng(2).choice([-1, 1], (200, 4), p=[0.3, 0.7])
    with pytest.raises(PrecisionError, match="has not converged.*only a suspicion: no combination was found"):
        fit_couplings(K4, rows.T @ rows / 200, magnetizations=rows.mean(axis=0), n_samples=200, fields_in_plane=False)


def test_moments_of_no_distribution_are_called_so():
    """Every triangle has room, and yet no table has these moments of four variables."""
    moments = np.full((4, 4), -0.3)
    np.fill_diagonal(moments, 1.0)
    with pytest.raises(NoEstimateError, match="no distribution has these moments of x1, x2, x3, x4.*missing='drop'"):
        fit_couplings(K4, moments, magnetizations=np.full(4, -0.3), n_samples=100, fields_in_plane=False)


@pytest.mark.parametrize(
    ("edges", "weights", "limit", "said"),
    [
        (((0, 1), (0, 3), (1, 3)), (1, 1, -1), 1, "a = no with b = yes never occurs"),
        (((0, 1), (0, 2), (1, 2)), (-1, -1, -1), 1, "of a = yes, b = yes and c = +1 never exactly 0 or 3 hold"),
        (((0, 1), (0, 2), (1, 2)), (1, 1, -1), 1, "of a = yes, b = no and c = -1 never exactly 0 or 3 hold"),
        (((0, 3), (1, 3)), (1, 1), 2, "a = no; b = no never occur"),
    ],
)
def test_faces_in_words(edges, weights, limit, said):
    codings = [Coding("no", "yes"), Coding("no", "yes"), None, None]
    assert describe_face(Face(edges, weights, limit, 0.0, 3), list("abc*"), codings) == said


def test_combinations_that_no_count_describes_are_listed_each_of_few_variables():
    edges = ((0, 4), (1, 4), (2, 4), (3, 4), (0, 1), (2, 3))
    face = Face(edges, (-1, -1, -1, -1, -1, -1), 2, 0.0, 4)
    assert describe_face(face, list("abcd*")) == "a = +1 with b = +1; c = +1 with d = +1 never occur"
