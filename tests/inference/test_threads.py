"""Kernels let go of the interpreter's lock, and threads that share a model get equal answers."""

import importlib
import pkgutil
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numba.core.dispatcher import Dispatcher

import isingmap
from isingmap import IsingModel
from isingmap.inference.zero_field.plan import plan
from isingmap.inference.zero_field.solution import solve_dual
from oracles import grid_edges


def kernels():
    """All compiled functions that Python can call."""
    for module in pkgutil.walk_packages(isingmap.__path__, "isingmap."):
        if not module.name.endswith("__main__"):
            for name, value in vars(importlib.import_module(module.name)).items():
                if isinstance(value, Dispatcher) and not value.targetoptions.get("no_cpython_wrapper"):
                    yield f"{module.name}.{name}", value


def test_every_kernel_lets_go_of_the_lock():
    found = dict(kernels())
    assert len(found) > 30
    assert [name for name, kernel in found.items() if not kernel.targetoptions.get("nogil")] == []


def test_python_runs_while_a_kernel_does():
    side = 24
    graph = plan(side * side, grid_edges(side, side))
    couplings = np.random.default_rng(0).normal(size=graph.n_edges)
    solve_dual(graph, couplings)._inverse  # noqa: B018 - compiled before it is measured
    solved, ticks, tick = solve_dual(graph, couplings), 0, threading.Event()
    worker = threading.Thread(target=lambda: solved._inverse)
    worker.start()
    while worker.is_alive():
        tick.wait(0.002)
        ticks += 1
    assert ticks > 10  # with the lock held, the first tick would be over when the kernel is


def answers(model):
    return (
        model.moments(),
        model.magnetizations(),
        model.hessian(),
        model.correlations(),
        model.sample(5, rng=1),
        model.ground_state().spins,
        np.array(model.log_partition()),
    )


def test_threads_that_fill_one_model_agree():
    rng = np.random.default_rng(3)
    edges, fields = grid_edges(6, 6), np.zeros(36)
    fields[0] = 0.3
    for scale in (0.5, 12.0):
        couplings = scale * rng.normal(size=len(edges))
        expected = answers(IsingModel(edges, couplings, fields))
        for _ in range(3):
            shared = IsingModel(edges, couplings, fields)
            start = threading.Barrier(4)
            with ThreadPoolExecutor(4) as pool:
                found = list(pool.map(lambda _, m=shared, s=start: (s.wait(), answers(m))[1], range(4)))
            for each in found:
                for value, exact in zip(each, expected, strict=True):
                    assert value.tobytes() == exact.tobytes()
