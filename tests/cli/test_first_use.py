"""What is compiled ahead is what a fit calls, and nothing depends on it."""

import json
import subprocess
import sys
from itertools import combinations

import joblib
import numpy as np
import pytest
from tqdm import tqdm

from isingmap import IsingModel
from isingmap.cli import first_use
from isingmap.cli.first_use import KERNELS, compile_ahead, kernel_of, signature_of

# Two fits in a process of their own; the kernels that were called from Python, whether with the types of the table, and
# which libraries were loaded that are slow to load.
CALLED = """
import json, sys
from numba.core.dispatcher import Dispatcher
called, real = [], Dispatcher._compile_for_args
Dispatcher._compile_for_args = lambda self, *args, **kw: called.append(self) or real(self, *args, **kw)
from isingmap.cli.first_use import KERNELS, kernel_of, signature_of
from isingmap.cli.main import main
code = 0
for table in sys.argv[1:]:
    code = code or main(["fit", table, "-o", table + "-map", "--quiet", "--restarts", "3"])
known = {id(kernel_of(name)): name for name in KERNELS}
names = [known.get(id(kernel), f"{kernel.py_func.__module__}.{kernel.py_func.__name__}") for kernel in called]
others = [name for name in names if name in KERNELS and [*kernel_of(name).overloads] != [signature_of(name)]]
slow = [name for name in ("scipy.optimize", "scipy.spatial", "matplotlib.pyplot") if name in sys.modules]
print(json.dumps({"code": code, "names": names, "others": others, "slow": slow}))
"""


@pytest.fixture(scope="module")
def called(tmp_path_factory):
    folder = tmp_path_factory.mktemp("called")
    # All pairs of four variables, so that fields do not fit into the plane, and four more in a row.
    edges = [*combinations(range(4), 2), (3, 4), (4, 5), (5, 6), (6, 7)]
    truth = IsingModel(edges, [0.4] * 10, [0.2] * 8)
    cells = (truth.sample(1000, rng=0) + 1) // 2
    tables = [folder / "wide.csv", folder / "planar.csv"]  # three of them are planar with their fields
    for table, n_columns in zip(tables, (8, 3), strict=True):
        np.savetxt(table, cells[:, -n_columns:], "%d", ",", header=",".join("abcdefgh"[:n_columns]), comments="")
    done = subprocess.run([sys.executable, "-c", CALLED, *tables], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_a_fit_and_its_picture_call_nothing_else(called):
    assert called["code"] == 0
    assert {*called["names"]} <= KERNELS.keys()
    assert called["others"] == []  # of other types than the table says


def test_a_fit_loads_nothing_that_it_does_not_need(called):
    assert called["slow"] == []


def test_hardly_anything_is_compiled_in_vain(called):
    assert len(KERNELS.keys() - {*called["names"]}) <= 3  # some are for larger graphs


@pytest.mark.parametrize("name", KERNELS)
def test_every_kernel_can_be_compiled_for_its_types(name):
    kernel_of(name).compile(signature_of(name))


def test_what_is_not_kept_is_compiled_with_progress(monkeypatch, capsys):
    compiled, shown = [], []
    monkeypatch.setattr(first_use, "is_kept", lambda kernel: False)
    monkeypatch.setattr(first_use, "_compile", lambda name, home: compiled.append(name))
    monkeypatch.setattr(tqdm, "update", lambda bar, n: shown.append(n))
    with joblib.parallel_config(backend="threading"):
        compile_ahead(verbose=True)
    assert sorted(compiled) == sorted(KERNELS)
    assert len(shown) == len(KERNELS) + 1 and "compiling, only now" in capsys.readouterr().err


def test_what_is_kept_is_left_alone(monkeypatch, capsys):
    monkeypatch.setattr(first_use, "is_kept", lambda kernel: True)
    monkeypatch.setattr(first_use, "_compile_side_by_side", pytest.fail)
    compile_ahead(verbose=True)
    assert capsys.readouterr().err == ""


def _killed(name, home):
    raise joblib.externals.loky.process_executor.TerminatedWorkerError("killed")


def test_a_killed_process_costs_time_alone(monkeypatch):
    monkeypatch.setattr(first_use, "is_kept", lambda kernel: False)
    monkeypatch.setattr(first_use, "_compile", _killed)
    with joblib.parallel_config(backend="threading"):
        compile_ahead(verbose=False)
