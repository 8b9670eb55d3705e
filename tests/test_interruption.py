"""Ctrl-C is a note that loops look at: nothing is lost, nothing crashes, and programs keep their own handlers."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from numba.core import types

from isingmap import IsingModel, PlanarIsing
from isingmap.errors import FitWarning
from isingmap.interruption import deaf_processes, listening, look, noted, undisturbed, was_interrupted

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")


def press():
    os.kill(os.getpid(), signal.SIGINT)


def test_a_look_raises_once():
    with listening():
        look()
        press()
        with pytest.raises(KeyboardInterrupt):
            look()
        press()
        look()  # a second time nobody is disturbed while the best so far is saved
        assert noted() == signal.SIGINT and noted() is None
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_nobody_looked_at_is_raised_at_the_end():
    done = []
    with pytest.raises(KeyboardInterrupt), listening(), listening(), undisturbed():
        press()
        look()
        done.append(1)
    assert done == [1]


def test_pressing_twice_does_not_wait():
    with pytest.raises(KeyboardInterrupt), listening():
        press()
        press()
        raise AssertionError("still here")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_own_handlers_and_other_threads_are_left_alone():
    heard = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        mine = signal.getsignal(signal.SIGINT)
        with listening():
            assert signal.getsignal(signal.SIGINT) is mine
            press()
            look()
        assert heard == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)

    def elsewhere():
        with listening():
            heard.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert heard[1] is signal.default_int_handler


def test_a_look_in_another_thread_takes_nothing():
    with pytest.raises(KeyboardInterrupt), listening():
        press()
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
        look()


def test_processes_that_are_started_deaf_survive_ctrl_c():
    code = [sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGINT); print('alive')"]
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    with deaf_processes():
        assert subprocess.run(code, capture_output=True, check=True).stdout == b"alive\n"
    assert subprocess.run(code, capture_output=True, check=False).returncode
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == mask


def test_the_whole_chain_of_causes():
    assert was_interrupted(KeyboardInterrupt())
    try:
        try:
            try:
                raise KeyboardInterrupt
            except KeyboardInterrupt as error:
                raise SystemError("returned a result with an exception set") from error
        except SystemError:
            raise RuntimeError("on the way out")  # noqa: B904 - the context is the point
    except RuntimeError as error:
        assert was_interrupted(error)
    assert not was_interrupted(RuntimeError()) and not was_interrupted(None)


def returned_records(module_names):
    """Kernels, compiled by now, that return a NamedTuple: numba would run Python code to make one."""
    found = []
    for name in module_names:
        for thing in vars(sys.modules[name]).values():
            for result in (s.return_type for s in getattr(thing, "nopython_signatures", ())):
                parts = result.types if isinstance(result, types.BaseTuple) else (result,)
                if any(isinstance(part, types.BaseNamedTuple) for part in (result, *parts)):
                    found.append(f"{name}.{thing.py_func.__name__}")
    return found


@pytest.mark.usefixtures("determinants")
def test_no_kernel_returns_a_record():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, (60, 6))
    PlanarIsing(n_restarts=1).fit(x)
    edges = [(k, k + 1) for k in range(8)] + [(0, 8), (0, 4)]
    model = IsingModel(edges, rng.normal(size=10))
    model.sample(2), model.correlations(), model.hessian(), model.ground_state(), model.certified_moments()
    assert not returned_records([name for name in sys.modules if name.startswith("isingmap.")])


def test_an_interrupted_fit_is_a_result():
    x = np.random.default_rng(0).integers(0, 2, (200, 8))
    PlanarIsing(n_restarts=0).fit(x)
    timer = threading.Timer(0.5, press)
    timer.start()
    with pytest.warns(FitWarning, match="interrupted after"):
        learned = PlanarIsing(n_restarts=10**6).fit(x)
    timer.join()
    assert learned.result_.stopped.startswith("interrupted") and np.isfinite(learned.model_.log_partition())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_writes_the_best_so_far(tmp_path, number):
    rows = np.random.default_rng(0).integers(0, 2, (200, 8))
    (tmp_path / "t.csv").write_text("a,b,c,d,e,f,g,h\n" + "".join(",".join(map(str, r)) + "\n" for r in rows.tolist()))
    command = [sys.executable, "-m", "isingmap", "fit", "t.csv", "-o", "map", "--quiet", "--restarts", "1000000"]
    command += ["--checkpoint", "c.npz"]
    running = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    for _ in range(1000):  # the first checkpoint says that the search is under way
        if (tmp_path / "c.npz").exists() or running.poll() is not None:
            break
        time.sleep(0.1)
    running.send_signal(number)
    error = running.communicate(timeout=120)[1]
    assert running.returncode == 130 and "interrupted: the model found so far is in map" in error
    assert "interrupted" in (tmp_path / "map" / "summary.txt").read_text()
    assert not list(tmp_path.glob(".*.part"))
