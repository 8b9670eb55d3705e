"""The garbage collector waits during a compilation, and only then."""

import gc
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest
from numba.core.event import Listener, register, unregister

import isingmap.compiled  # puts its own listener in place first
from isingmap.errors import IsingMapWarning


class Recorder(Listener):
    def __init__(self):
        self.enabled = []

    def on_start(self, event):
        self.enabled.append(gc.isenabled())

    def on_end(self, event):
        pass


@pytest.fixture
def recorder():
    listener = Recorder()
    register("numba:compile", listener)
    yield listener
    unregister("numba:compile", listener)


def compiled_in(module, function):
    function.__module__ = module
    return numba.njit(function)


def test_it_waits_for_our_functions_only(recorder):
    for module, enabled in (("isingmap.somewhere", False), ("elsewhere", True)):
        assert compiled_in(module, lambda x: x + 1)(1) == 2
        assert recorder.enabled.pop() is enabled
        assert gc.isenabled()


def test_it_goes_on_after_a_failed_compilation(recorder):
    with pytest.raises(numba.TypingError):
        compiled_in("isingmap.somewhere", lambda x: x.no_such_attribute)(1)
    assert recorder.enabled == [False]
    assert gc.isenabled()


def test_it_stays_off_where_it_was_off(recorder):
    gc.disable()
    try:
        compiled_in("isingmap.somewhere", lambda x: x + 2)(1)
        assert not gc.isenabled()
    finally:
        gc.enable()


def run_without_cache(folder, *code, **more):
    """Run Python where numba finds no folder for its cache: __pycache__ is a file, and HOME does not exist."""
    (folder / "package").mkdir()
    shutil.copytree(Path(isingmap.__file__).parent, folder / "package/isingmap", ignore=lambda *_: {"__pycache__"})
    for place in [folder / "package/isingmap", *(folder / "package/isingmap").rglob("*/")]:
        (place / "__pycache__").write_text("in the way")
    (folder / "in_the_way").write_text("a file")
    environment = {**os.environ, "PYTHONPATH": str(folder / "package"), "HOME": str(folder / "in_the_way/home"), **more}
    for name in ("XDG_CACHE_HOME", "NUMBA_CACHE_DIR"):
        environment.pop(name, None)
    command = [sys.executable, *code]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment, cwd=folder)


@pytest.mark.skipif(os.name != "posix", reason="where caches are")
@pytest.mark.parametrize(("disabled", "n_warnings"), [("0", 1), ("1", 0)])
def test_no_place_for_a_cache(tmp_path, disabled, n_warnings):
    command = "-m isingmap simulate grid --rows 2 --columns 2 -n 3 --seed 1 --burn-in 1 --thin 1 -o samples.csv"
    done = run_without_cache(tmp_path, *command.split(), NUMBA_DISABLE_JIT=disabled)
    assert done.returncode == 0, done.stderr
    assert len((tmp_path / "samples.csv").read_text().splitlines()) == 4
    assert done.stderr.count("\n") == done.stderr.count("NUMBA_CACHE_DIR") == n_warnings


def test_a_full_disk_costs_no_answer(tmp_path, monkeypatch):
    def full(self, key, data):
        raise OSError(28, "No space left on device")

    @isingmap.compiled.kernel
    def twice(x):
        return 2 * x

    monkeypatch.setattr(type(twice._cache._cache_file), "save", full)
    isingmap.compiled._warn_once.cache_clear()
    with pytest.warns(IsingMapWarning, match="cannot be kept"):
        assert twice(4) == 8
