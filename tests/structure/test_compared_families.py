"""family="auto": all families fitted to the same data, the best taken by the criterion, and by how much."""

import itertools

import numpy as np
import pytest

from bare_moments import learn_structure, problem_of
from isingmap import IsingModel, PlanarIsing
from isingmap.errors import FileFormatError, ModelError
from isingmap.progress import progress_bar
from isingmap.report.summary import fit_summary
from isingmap.structure import checkpoint, compared_families
from isingmap.structure.families import FAMILIES, SIMPLEST_FIRST
from isingmap.structure.fixed_graphs.fit_graph import fit_graph
from oracles import brute_force

EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (3, 4)]


def sample(seed, fields=(0.8, 0.0, 0.0, -0.7, 0.0), n_rows=500):
    return IsingModel(EDGES, [0.5, -0.4, 0.5, 0.4, 0.6], list(fields)).sample(n_rows, rng=seed).astype(float)


def given(rows, **settings):
    means = rows.mean(axis=0)
    settings = {"family": "auto", "n_restarts": 2, **settings}
    return {"moments": rows.T @ rows / len(rows), "n_samples": len(rows), "magnetizations": means, **settings}


def same(first, second):
    assert first.model.edges.tolist() == second.model.edges.tolist()
    assert first.model.couplings.tolist() == second.model.couplings.tolist()
    assert first.model.fields.tolist() == second.model.fields.tolist()
    assert first.path.action == second.path.action and first.excluded == second.excluded


@pytest.mark.parametrize(("criterion", "each"), [("ebic", np.log(500) + np.log(5)), ("bic", np.log(500)), ("aic", 2.0)])
def test_every_parameter_has_the_same_price_in_every_family(criterion, each):
    rows = sample(1)
    result = learn_structure(**given(rows, criterion=criterion))
    assert tuple(fit.family for fit in result.families) == SIMPLEST_FIRST and {*SIMPLEST_FIRST} == {*FAMILIES}
    assert result.compared_by == criterion
    for fit in result.families:
        alone = learn_structure(**given(rows, criterion=criterion, family=fit.family))
        assert (fit.n_edges, fit.n_fields) == (alone.model.n_edges, alone.model.free_fields.sum())
        model = alone.model
        *_, log_partition = brute_force(5, model.edges, model.couplings, model.fields)
        i, j = model.edges.T
        total = (rows @ model.fields + (rows[:, i] * rows[:, j]) @ model.couplings - log_partition).sum()
        assert fit.log_likelihood == pytest.approx(total, rel=1e-10)
        assert fit.value == pytest.approx(-2 * total + each * (fit.n_edges + fit.n_fields), rel=1e-10)
        if fit.family == result.family:
            same(alone, result)
            assert result.stopped == alone.stopped
    assert min(result.families, key=lambda fit: fit.value).family == result.family


def test_the_winner_has_the_best_of_all_graphs_and_fields():
    """On four variables: all 64 graphs (all are planar), each with all 16 choices of fields."""
    rows = sample(3)[:, :4]
    result = learn_structure(**given(rows, criterion="bic", fields="paying"))
    moments, means = rows.T @ rows / 500, rows.mean(axis=0)
    pairs = np.array(list(itertools.combinations(range(4), 2)))
    x = np.array(list(itertools.product([-1.0, 1.0], repeat=4)))
    everything = np.hstack([x[:, pairs[:, 0]] * x[:, pairs[:, 1]], x])
    seen = np.concatenate([moments[pairs[:, 0], pairs[:, 1]], means])
    best = np.inf
    for chosen in itertools.product([False, True], repeat=10):
        phi, mu, theta = everything[:, chosen], seen[list(chosen)], np.zeros(sum(chosen))
        for _ in range(12):
            p = np.exp(phi @ theta)
            p /= p.sum()
            theta = theta + np.linalg.solve((phi * p[:, None]).T @ phi - np.outer(p @ phi, p @ phi), mu - p @ phi)
        log_likelihood = 500 * (mu @ theta - np.log(np.exp(phi @ theta).sum()))
        best = min(best, -2 * log_likelihood + np.log(500) * sum(chosen))
    assert result.bic == pytest.approx(best, abs=1e-5)


@pytest.mark.parametrize(
    ("fields", "families"),
    [
        ((0.0,) * 5, {"zero-field"}),
        ((0.9, 0.0, 0.0, 0.0, 0.0), {"partial"}),
        ((0.9, -0.8, 0.9, -0.8, 0.9), {"partial", "outer-planar", "planar"}),
    ],
)
def test_what_the_data_have_is_found(fields, families):
    assert learn_structure(**given(sample(0, fields, n_rows=4000))).family in families


def test_the_simplest_of_equals_is_taken():
    """Three variables with strong fields: three families come to the same model."""
    rows = IsingModel([(0, 1), (1, 2)], [0.7, 0.7], [0.8, -0.9, 0.7]).sample(3000, rng=0).astype(float)
    result = learn_structure(**given(rows))
    values = {fit.family: fit.value for fit in result.families}
    assert values["partial"] == pytest.approx(values["planar"], abs=1e-6) == pytest.approx(values["outer-planar"])
    assert result.family == "partial"


def test_a_family_that_cannot_be_fitted_does_not_stop_the_others():
    rows = sample(1)
    k4 = list(itertools.combinations(range(4), 2))
    result = learn_structure(**given(rows, required_edges=k4, required_fields=["x1"]))
    notes = {fit.family: fit.note for fit in result.families}
    assert "K4" not in notes["planar"] and notes["planar"] == notes["partial"] == ""
    assert "has no fields" in notes["zero-field"] and "takes the room of an edge" in notes["outer-planar"]
    assert result.family in ("planar", "partial") and result.families[0].n_edges is None
    without_means = given(rows)
    del without_means["magnetizations"]
    result = learn_structure(**without_means)
    assert result.family == "zero-field"
    assert [fit.was_fitted for fit in result.families] == [True, False, False, False]
    assert "needs the magnetizations" in result.families[3].note


def test_where_no_family_can_be_fitted_all_reasons_are_given():
    k5 = list(itertools.combinations(range(5), 2))
    with pytest.raises(ModelError, match="no family can be fitted. zero-field: .* planar: "):
        learn_structure(**given(sample(1), required_edges=k5))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"required_fields": ["x9"]}, "none is 'x9'"),
        ({"required_edges": [("x1", "x9")]}, "required_edges: .*x9"),
        ({"search": "chow-liu", "n_restarts": None, "checkpoint": "x"}, "does not use checkpoint=x"),
        ({"prior": -1.0}, "prior must be a positive"),
    ],
)
def test_what_no_family_could_use_is_refused_at_once(settings, message):
    with pytest.raises(ModelError, match=message):
        learn_structure(**given(sample(1), **settings))


def test_a_composite_likelihood_compares_nothing():
    rows = sample(1)
    rows[0, 0] = np.nan
    with pytest.raises(ModelError, match='family="auto" compares exact likelihoods.*missing="drop"'):
        PlanarIsing(family="auto", missing="pairwise").fit(rows)
    assert PlanarIsing(family="auto", missing="drop", n_restarts=0).fit(rows).result_.families


def test_graphs_that_are_drawn_at_once():
    result = learn_structure(**given(sample(1), search="tmfg", criterion="bic", n_restarts=None))
    assert "outer-planar" in result.families[2].note and result.search == "tmfg"
    assert result.compared_by == "bic" and result.families[3].value == pytest.approx(
        min(fit.value for fit in result.families if fit.was_fitted), abs=100
    )


def test_an_open_family_fits_no_graph():
    problem, _ = problem_of(**{k: v for k, v in given(sample(1)).items() if k != "n_restarts"})
    with pytest.raises(ModelError, match='family="auto" is for learn_structure'):
        fit_graph(EDGES, problem)


def stopping(at):
    """A progress callback that interrupts at its call of this number, and counts."""
    calls = []

    def progress(done, room):
        calls.append(done)
        if len(calls) == at:
            raise KeyboardInterrupt

    return progress, calls


def test_an_interrupted_comparison_has_the_best_so_far_and_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "SECONDS_BETWEEN_SAVES", 0.0)
    rows = sample(1)
    progress, every = stopping(-1)
    whole = learn_structure(**given(rows), progress=progress)
    begins = [0]
    for name in SIMPLEST_FIRST:
        progress, calls = stopping(-1)
        learn_structure(**given(rows, family=name), progress=progress)
        begins.append(begins[-1] + len(calls))
    assert begins[-1] == len(every)
    file = tmp_path / "search"
    for at in (3, begins[1] + 4, begins[2] + 4, begins[3] + 4, begins[4] - 1):
        progress, _ = stopping(at)
        part = learn_structure(**given(rows, checkpoint=file), progress=progress)
        stage = sum(begin < at for begin in begins) - 1
        name = SIMPLEST_FIRST[stage]
        assert part.was_interrupted
        assert part.stopped == f"interrupted while the family {name} was fitted"
        notes = [fit.note for fit in part.families]
        assert notes == [*[""] * stage, "interrupted", *["not begun"] * (3 - stage)]
        fitted = [fit for fit in part.families if fit.was_fitted]
        assert part.family == min(fitted, key=lambda fit: fit.value).family
        progress, calls = stopping(-1)
        resumed = learn_structure(**given(rows, checkpoint=file), progress=progress)
        assert len(calls) <= len(every) - begins[stage]  # finished families are not searched again
        same(resumed, whole)
        assert resumed.families == whole.families and resumed.stopped == whole.stopped
        assert list(tmp_path.iterdir()) == []


def test_checkpoints_belong_to_their_data(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "SECONDS_BETWEEN_SAVES", 0.0)
    progress, _ = stopping(3)
    learn_structure(**given(sample(1), checkpoint=tmp_path / "search"), progress=progress)
    with pytest.raises(FileFormatError, match="other data or with other options"):
        learn_structure(**given(sample(2), checkpoint=tmp_path / "search"))


def test_an_interruption_before_anything_was_found_is_one(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(compared_families, "searched", interrupted)
    with pytest.raises(KeyboardInterrupt):
        learn_structure(**given(sample(1)))


def test_the_bar_says_which_family_is_at_work(capsys):
    with progress_bar("edges", enabled=True) as progress:
        learn_structure(**given(sample(1), n_restarts=0), progress=progress)
    shown = capsys.readouterr().err
    assert all(f"family {name}:" in shown for name in SIMPLEST_FIRST)


def test_the_summary_has_the_table():
    fit = PlanarIsing(family="auto", n_restarts=0).fit(sample(1))
    text = fit_summary(fit.learned_)
    lines = text[text.index("Families\n") :].splitlines()
    assert lines[1].split() == ["family", "edges", "fields", "log-likelihood", "EBIC", "difference"]
    best = min(f.value for f in fit.result_.families)
    for line, found in zip(lines[2:6], fit.result_.families, strict=True):
        numbers = [found.n_edges, found.n_fields, f"{found.log_likelihood:.2f}", f"{found.value:.2f}"]
        assert line.split() == [found.family, *map(str, numbers), f"{found.value - best:.2f}"]
        assert line.rindex(line.split()[-1]) + len(line.split()[-1]) == len(lines[1].rstrip())
    words = " ".join(text.split())
    assert f"{fit.result_.family} was taken, by EBIC with every coupling and every field at the same price" in words
    assert f"family              {fit.result_.family}: " in text and "family='auto'" in text
