"""How functions are compiled: with as little as possible to do at the first use, at the same speed afterwards.

Numba links what a function calls into it and optimises it there once more, so every layer of calls costs again.
"""

from __future__ import annotations

import gc
from typing import Any

import numba
import numpy as np
from numba.core.event import Listener, register

KERNEL: dict[str, Any] = {"cache": True, "no_cfunc_wrapper": True}
HELPER: dict[str, Any] = {**KERNEL, "no_cpython_wrapper": True}

# Called from Python; threads run kernels side by side.
kernel = numba.njit(nogil=True, **KERNEL)
# Called by compiled functions only: it has no entry from Python, and calling it from there crashes the interpreter.
helper = numba.njit(**HELPER)
# A helper with one caller: a part of it, and never compiled by itself.
inlined = numba.njit(inline="always", **HELPER)


class _PausedCollector(Listener):
    """Holds Python's garbage collector while numba compiles a function of this package.

    Numba makes millions of objects that are still in use; looking through them again and again takes a tenth of the
    compile time. Numba compiles under one lock, so that a plain count of nested compilations is enough.
    """

    depth = 0
    was_enabled = False

    def on_start(self, event):
        if not _is_ours(event):
            return
        if self.depth == 0:
            self.was_enabled = gc.isenabled()
            gc.disable()
        self.depth += 1

    def on_end(self, event):
        if not _is_ours(event):
            return
        self.depth -= 1
        if self.depth == 0 and self.was_enabled:
            gc.enable()


def _is_ours(event) -> bool:
    return event.data["dispatcher"].py_func.__module__.startswith("isingmap.")


register("numba:compile", _PausedCollector())

# Constants of a NumPy type: numba compiles a function anew for every literal it is called with.
NONE, ZERO, ONE = np.int64(-1), np.int64(0), np.int64(1)


@helper
def filled(size, value):
    """A new array of int64; `np.zeros`, `np.full` and copies of slices would be compiled into every caller."""
    array = np.empty(size, np.int64)
    for k in range(size):
        array[k] = value
    return array
