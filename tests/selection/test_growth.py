"""One path has the graphs of every criterion, and what was held out is scored as if each had been searched for."""

import signal

import numpy as np
import pytest
from test_cross_validation import chain, shuffled, validated

from isingmap import PlanarIsing, as_spin_table
from isingmap.data.moments import empirical_moments
from isingmap.interruption import listening
from isingmap.report.results import write_results
from isingmap.selection import cross_validation, fold_scores
from isingmap.selection.fold_scores import Trial
from isingmap.selection.folds import folds_of
from isingmap.selection.growth import CRITERIA_TRIED
from isingmap.structure.families import SIMPLEST_FIRST
from isingmap.structure.options import SearchOptions
from isingmap.structure.problem import Problem


def trial(family, prior):
    rng = np.random.default_rng(1)
    hidden = rng.normal(size=(90, 2)) @ rng.normal(size=(2, 9))
    table = as_spin_table(np.where(hidden + 2 * rng.normal(size=(90, 9)) > 0.5, 1, -1))
    problem = Problem(empirical_moments(table), family=family, prior=prior)
    return Trial(folds_of(table, 3, 0), problem, SearchOptions(search="greedy"), 1)


@pytest.mark.parametrize("prior", [None, 2.0])
@pytest.mark.parametrize("family", SIMPLEST_FIRST)
def test_a_path_has_what_each_criterion_finds(family, prior):
    here = trial(family, prior)
    path = here.path(family)
    ends = [path.step_of(*tried) for tried in CRITERIA_TRIED]
    assert len({*ends}) > 2 and ends[-1] == len(path.gain) == len(path.held_out) - 1
    for at, tried in zip(ends, CRITERIA_TRIED, strict=True):
        score, n_edges, n_parameters = here.fit((family, *tried))
        assert (path.n_edges[at], path.n_parameters[at]) == (n_edges, n_parameters)
        assert path.held_out[at] == pytest.approx(score, abs=1e-10)


def test_the_choice_is_that_of_single_searches(monkeypatch):
    table = as_spin_table(chain())
    by_paths = validated(table, "auto", search="greedy")
    monkeypatch.setattr(Trial, "reads_paths", False)
    one_by_one = validated(table, "auto", search="greedy")
    assert [e.taken for e in by_paths.tried] == [e.taken for e in one_by_one.tried]
    assert [e.mean for e in by_paths.tried] == pytest.approx([e.mean for e in one_by_one.tried], abs=1e-10)
    assert np.allclose(by_paths.path.mean, one_by_one.path.mean, rtol=0, atol=1e-12)


def test_held_out_by_size():
    found = validated(as_spin_table(chain()), search="greedy")
    path = found.path
    assert np.array_equal(path.n_parameters, 5 + path.n_edges) and path.n_edges[0] == 0
    assert path.simplest <= path.best and path.mean[path.best] == path.mean.max()
    mean, se = path.of_sizes(np.array([4, 5, 7, 99]))
    assert np.isnan([mean[0], mean[3], se[0], se[3]]).all()
    assert (mean[1], mean[2], se[2]) == (path.mean[0], path.mean[2], path.se[2])
    again = validated(shuffled(as_spin_table(chain())), search="greedy")
    assert np.allclose(again.path.mean, path.mean, rtol=0, atol=1e-12)


def test_no_path_where_fields_are_dropped_in_the_end():
    table = as_spin_table(chain(120))
    problem = Problem(empirical_moments(table), fields="paying")
    found = cross_validation.cross_validated(table, problem, SearchOptions(criterion="cv", search="greedy", n_folds=3))
    assert found.path is None and found.taken.was_fitted


def pressed_at(monkeypatch, number):
    """Ctrl-C while fit `number` is at work."""
    add, done = fold_scores._add, []

    def counted(*arguments):
        done.append(1)
        if len(done) == number:
            signal.raise_signal(signal.SIGINT)
        return add(*arguments)

    monkeypatch.setattr(fold_scores, "_add", counted)


def test_complete_folds_decide_after_an_interruption(monkeypatch, tmp_path):
    pressed_at(monkeypatch, 13)
    fit = PlanarIsing(criterion="cv", n_folds=4).fit(chain())
    found = fit.learned_.selection
    assert (found.n_done, found.was_interrupted, found.path) == (2, True, None) and fit.learned_.interrupted
    assert fit.result_.n_restarts == 0 and not fit.result_.was_interrupted
    first = validated(as_spin_table(chain()))
    assert found.tried[0].mean != first.tried[0].mean and found.taken.was_fitted
    text = " ".join((write_results(fit.learned_, tmp_path / "map") / "summary.txt").read_text().split())
    assert "Interrupted: 2 of 4 folds decided" in text


def test_with_one_fold_there_is_nothing_to_compare(monkeypatch):
    pressed_at(monkeypatch, 8)
    with pytest.raises(KeyboardInterrupt, match="before two folds were complete"), listening():
        validated(as_spin_table(chain()))


def test_an_interruption_while_paths_grow_keeps_the_choice(monkeypatch):
    path = Trial.path

    def pressed(here, family):
        signal.raise_signal(signal.SIGINT)
        return path(here, family)

    monkeypatch.setattr(Trial, "path", pressed)
    with listening():
        found = validated(as_spin_table(chain()))
    assert found.n_done == 4 and found.was_interrupted and found.path is None


def test_progress_counts_fits():
    table, told = as_spin_table(chain(60)), []
    problem = Problem(empirical_moments(table), family="zero-field")
    options = SearchOptions(criterion="cv", n_folds=3, n_restarts=0)
    cross_validation.cross_validated(table, problem, options, progress=lambda *counts: told.append(counts))
    assert told == [(k, 18) for k in range(1, 19)]
