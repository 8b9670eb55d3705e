"""The garbage collector waits during a compilation, and only then."""

import gc

import numba
import pytest
from numba.core.event import Listener, register, unregister

import isingmap.compiled  # noqa: F401 - puts its own listener in place first


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
