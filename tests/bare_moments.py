"""Learning from bare arrays, with the settings of the problem and of the search in one call."""

from isingmap import Problem, SearchOptions
from isingmap import greedy_search as greedy_search_of
from isingmap import learn_structure as learn_structure_of
from isingmap.option import options_of
from isingmap.structure.options import ProblemOptions


def problem_of(moments, n_samples, *, magnetizations=None, names=None, **settings):
    """The problem, and the settings that are not its own."""
    own = {o.name: settings.pop(o.name) for o in options_of(ProblemOptions) if o.name in settings}
    return Problem.from_moments(moments, n_samples, magnetizations=magnetizations, names=names, **own), settings


def learn_structure(moments, n_samples, *, progress=None, **settings):
    problem, rest = problem_of(moments, n_samples, **settings)
    return learn_structure_of(problem, SearchOptions(**rest), progress=progress)


def greedy_search(moments, n_samples, *, progress=None, **settings):
    problem, rest = problem_of(moments, n_samples, **settings)
    return greedy_search_of(problem, SearchOptions(**{"criterion": "bic", **rest}), progress=progress)


def on_graph(fit, graph, moments, n_samples, *, family="zero-field", **settings):
    """`fit` (fit_graph, fit_tmfg) of a graph to bare moments."""
    problem, _ = problem_of(moments, n_samples, family=family, **settings)
    return fit(graph, problem)
