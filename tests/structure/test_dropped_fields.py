"""fields="paying": in the end of a search of the family "planar" those that are not worth their price go."""

import itertools
from contextlib import nullcontext

import numpy as np
import pytest

from bare_moments import learn_structure, problem_of
from isingmap import IsingModel, PlanarIsing
from isingmap.data.table import FIELD
from isingmap.errors import FileFormatError, FitWarning, ModelError, NoEstimateError, NonPlanarError
from isingmap.learning import searched
from isingmap.likelihood.fit import fit_couplings
from isingmap.report.summary import fit_summary
from isingmap.structure import checkpoint
from isingmap.structure.edge_losses import edge_losses
from oracles import brute_force, finite_differences

FIELDS = [0.9, 0.0, 0.0, -0.8, 0.02, 0.0, 0.7, 0.0]
EDGES = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (1, 4), (6, 7)]


def sample(seed, n_rows=600):
    model = IsingModel(EDGES, [0.5, -0.4, 0.5, 0.4, -0.5, 0.5, 0.6, 0.5], FIELDS)
    return model.sample(n_rows, rng=seed).astype(float)


def given(rows, **settings):
    settings = {"family": "planar", "criterion": "bic", **settings}
    return {
        "moments": rows.T @ rows / len(rows),
        "n_samples": len(rows),
        "magnetizations": rows.mean(axis=0),
        **settings,
    }


def best_of_enumeration(rows, edges, free):
    """Largest log-likelihood of a graph with these free fields, by Newton's method on all configurations."""
    x = np.array(list(itertools.product([-1.0, 1.0], repeat=rows.shape[1])))
    phi = np.hstack([x[:, edges[:, 0]] * x[:, edges[:, 1]], x[:, free]])
    seen = np.hstack([rows[:, edges[:, 0]] * rows[:, edges[:, 1]], rows[:, free]]).mean(axis=0)
    theta = np.zeros(phi.shape[1])
    for _ in range(50):
        weight = np.exp(phi @ theta)
        p = weight / weight.sum()
        mean = p @ phi
        theta += 0.8 * np.linalg.solve((phi * p[:, None]).T @ phi - np.outer(mean, mean), seen - mean)
    return len(rows) * (seen @ theta - np.log(np.exp(phi @ theta).sum()))


@pytest.mark.parametrize("search", ["forward-backward", "greedy"])
def test_each_drop_is_the_best_and_no_other_pays(search):
    rows = sample(1)
    every = learn_structure(**given(rows, search=search, n_restarts=2 if search != "greedy" else None))
    paying = learn_structure(
        **given(rows, search=search, fields="paying", n_restarts=2 if search != "greedy" else None)
    )
    edges = paying.model.edges
    assert edges.tolist() == every.model.edges.tolist() and every.dropped_fields == ()
    free = every.model.free_fields.copy()
    assert free.all()
    price = np.log(600) / 2
    assert paying.dropped_fields
    best = best_of_enumeration(rows, edges, np.flatnonzero(free))
    assert every.log_likelihood == pytest.approx(best, abs=1e-6)
    for name in (*paying.dropped_fields, None):
        without = {}
        for k in np.flatnonzero(free).tolist():
            rest = np.setdiff1d(np.flatnonzero(free), [k])
            without[k] = best_of_enumeration(rows, edges, rest)
        worst = max(without, key=without.get)
        if name is None:
            assert best - without[worst] > price
            break
        assert paying.model.names[worst] == name and best - without[worst] < price
        best = without[worst]
        free[worst] = False
    assert paying.model.free_fields.tolist() == free.tolist()
    assert paying.log_likelihood == pytest.approx(best, abs=1e-6)
    assert paying.bic < every.bic
    n_dropped = len(paying.dropped_fields)
    assert paying.path.action[-n_dropped:] == ("remove",) * n_dropped
    assert paying.path.target[-n_dropped:] == (FIELD,) * n_dropped
    assert paying.path.n_parameters[-1] == paying.model.n_parameters == every.model.n_parameters - n_dropped
    assert paying.stopped == every.stopped


def test_a_subset_of_fields_beside_the_plane():
    rows = sample(2)[:, :6]
    moments, means = rows.T @ rows / len(rows), rows.mean(axis=0)
    edges = [*itertools.combinations(range(4), 2), (4, 5)]  # K4 and its fields do not fit into the plane
    free = np.array([1, 1, 1, 1, 0, 0], bool)
    with pytest.raises(NonPlanarError):
        fit_couplings(edges, moments, magnetizations=means, free_fields=free)
    fit = fit_couplings(edges, moments, magnetizations=means, free_fields=free, fields_in_plane=False)

    def log_likelihood(theta):
        fields = np.append(theta[7:], [0.0, 0.0])
        _, _, log_partition = brute_force(6, edges, theta[:7], fields)
        return np.concatenate([[moments[i, j] for i, j in edges], means[:4]]) @ theta - log_partition

    slope = finite_differences(log_likelihood, np.concatenate([fit.model.couplings, fit.model.fields[:4]]))
    assert fit.converged and np.abs(slope).max() < 1e-8 and fit.model.fields[4:].tolist() == [0, 0]
    triangle = fit_couplings(
        [(0, 1), (1, 2), (0, 2)], moments, magnetizations=means, free_fields=np.zeros(6, bool), fields_in_plane=False
    )
    assert triangle.converged and triangle.model.moments() == pytest.approx(
        [moments[0, 1], moments[1, 2], moments[0, 2]]
    )


def test_what_each_edge_is_worth_when_fields_are_gone():
    rows = sample(3)
    result = learn_structure(**given(rows, fields="paying"))
    problem, _ = problem_of(**given(rows))
    assert result.dropped_fields and result.model.n_edges
    losses = edge_losses(result, problem.moments)
    free = np.flatnonzero(result.model.free_fields)
    for k in range(result.model.n_edges):
        rest = best_of_enumeration(rows, np.delete(result.model.edges, k, axis=0), free)
        assert losses[k] == pytest.approx(result.log_likelihood - rest, abs=1e-5)


@pytest.mark.parametrize("search", ["forward-backward", "greedy"])
def test_a_search_stopped_while_it_drops_fields_goes_on(search, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "SECONDS_BETWEEN_SAVES", 0.0)
    rows = sample(4)
    settings = {"fields": "paying", "search": search, "n_restarts": 1 if search != "greedy" else None}
    counts = []
    whole = learn_structure(**given(rows, **settings, progress=lambda done, room: counts.append(done)))
    file = tmp_path / "search.checkpoint"
    stopped = 0
    for last in range(len(counts) - len(whole.dropped_fields) - 2, len(counts)):
        calls = itertools.count(1)

        def stop(done, room, calls=calls, last=last):
            if next(calls) == last:
                raise KeyboardInterrupt

        file.unlink(missing_ok=True)
        part = learn_structure(**given(rows, **settings, checkpoint=file, progress=stop))
        if not part.stopped.startswith("interrupted"):
            continue
        stopped += 0 < len(part.dropped_fields) < len(whole.dropped_fields)
        assert part.dropped_fields == whole.dropped_fields[: len(part.dropped_fields)]
        resumed = learn_structure(**given(rows, **settings, checkpoint=file))
        assert resumed.model.couplings.tolist() == whole.model.couplings.tolist()
        assert resumed.model.fields.tolist() == whole.model.fields.tolist()
        assert resumed.path.action == whole.path.action and resumed.stopped == whole.stopped
        assert resumed.excluded == whole.excluded and not file.exists()
    assert stopped


def test_a_checkpoint_belongs_to_its_family_and_fields(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "SECONDS_BETWEEN_SAVES", 0.0)
    rows = sample(4)

    def stop(done, room):
        if len(calls) == 2:
            raise KeyboardInterrupt
        calls.append(done)

    for first, second in (
        ({"family": "outer-planar"}, {"family": "planar"}),
        ({"fields": "paying"}, {"fields": "all"}),
        ({"fields": "paying", "required_fields": ["x1"]}, {"fields": "paying"}),
    ):
        file = tmp_path / "search.checkpoint"
        file.unlink(missing_ok=True)
        settings = {"search": "greedy", "checkpoint": file}
        calls: list[int] = []
        learn_structure(**given(rows, **settings, **first, progress=stop))
        with pytest.raises(FileFormatError, match="other data or with other options"):
            learn_structure(**given(rows, **settings, **second))


def test_the_order_of_the_columns_does_not_matter():
    rows, names = sample(5), list("hgfedcba")
    here = learn_structure(**given(rows, fields="paying", names=names))
    order = np.random.default_rng(0).permutation(8)
    there = learn_structure(**given(rows[:, order], fields="paying", names=[names[k] for k in order]))
    assert here.dropped_fields == there.dropped_fields != ()
    assert here.model.fields[order].tolist() == there.model.fields.tolist()


@pytest.mark.parametrize("family", ["zero-field", "partial", "outer-planar"])
def test_other_families_have_no_fields_to_drop(family):
    with pytest.raises(ModelError, match=f'fields="paying" goes with family="planar"; family="{family}" '):
        learn_structure(**given(sample(0), family=family, fields="paying"))


def test_graphs_that_are_drawn_at_once_drop_no_fields():
    with pytest.raises(ModelError, match='search="chow-liu" does not use fields=paying; leave it out'):
        learn_structure(**given(sample(0), search="chow-liu", fields="paying"))


def test_required_fields_stay():
    rows = sample(1)
    dropped = learn_structure(**given(rows, fields="paying")).dropped_fields
    kept = learn_structure(**given(rows, fields="paying", required_fields=[dropped[0]]))
    assert dropped[0] not in kept.dropped_fields
    assert kept.model.free_fields[kept.model.names.index(dropped[0])]


@pytest.mark.filterwarnings("ignore:.*far from half:isingmap.errors.FitWarning")
def test_required_fields_where_the_search_chooses_them():
    rows = sample(1)
    free = learn_structure(**given(rows, family="partial"))
    without = [name for name, has in zip(free.model.names, free.model.free_fields, strict=True) if not has]
    fit = PlanarIsing(family="partial", criterion="bic", required_fields=without[:2]).fit(rows)
    assert {*without[:2]} <= {n for n, has in zip(fit.model_.names, fit.model_.free_fields, strict=True) if has}
    one = PlanarIsing(family="partial", criterion="bic", required_fields=[1], n_restarts=0).fit(rows)
    assert one.model_.free_fields[1]
    text = PlanarIsing(family="partial", required_fields="x2", search="greedy").fit(rows)
    assert text.model_.free_fields[1]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"family": "partial", "required_fields": ["x1", "x99"]}, "required_fields must be .* none is 'x99'; the colu"),
        ({"family": "partial", "required_fields": [8]}, "none is 8;"),
        ({"family": "partial", "required_fields": [True]}, "none is True;"),
        (
            {"family": "zero-field", "required_fields": ["x1"]},
            'must be left out with family="zero-field", which has no',
        ),
    ],
)
def test_required_fields_that_cannot_be(settings, message):
    with pytest.raises(ModelError, match=message):
        learn_structure(**given(sample(0), **settings))


def test_required_fields_that_do_not_fit_into_the_plane():
    k4 = list(itertools.combinations(range(4), 2))
    names = [f"x{k}" for k in range(1, 5)]
    with pytest.raises(
        NonPlanarError, match='In family="partial" a field takes the room of an edge .* family="planar"'
    ):
        learn_structure(**given(sample(0), family="partial", required_edges=k4, required_fields=names))
    learn_structure(**given(sample(0), required_edges=k4, required_fields=names, n_restarts=0))


def test_a_required_field_that_would_be_infinite():
    rows = sample(0)
    rows[:, 0] = 1.0
    with pytest.raises(NoEstimateError):
        learn_structure(**given(rows, family="partial", required_fields=["x1"]))


@pytest.mark.parametrize(
    ("last", "words"), [(2, "none: interrupted before"), (-1, "interrupted before all were looked at")]
)
def test_the_summary_of_a_search_stopped_before_its_fields_were_looked_at(last, words, monkeypatch):
    rows, counts = sample(4), []
    whole = learn_structure(**given(rows, fields="paying", search="greedy", progress=lambda *_: counts.append(1)))
    calls = []

    def stop(done, room):
        calls.append(done)
        if len(calls) == (last if last > 0 else len(counts) - 1):
            raise KeyboardInterrupt

    monkeypatch.setattr(searched, "progress_bar", lambda *_, **__: nullcontext(stop))
    with pytest.warns(FitWarning, match="interrupted"):
        fit = PlanarIsing(criterion="bic", fields="paying", search="greedy").fit(rows)
    assert len(fit.result_.dropped_fields) < len(whole.dropped_fields)
    assert words in " ".join(fit_summary(fit.learned_).split())
