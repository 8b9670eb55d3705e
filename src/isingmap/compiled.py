"""How functions are compiled: with as little as possible to do at the first use, at the same speed afterwards.

Numba links what a function calls into it and optimises it there once more, so every layer of calls costs again.
"""

from __future__ import annotations

import numba
import numpy as np

KERNEL = {"cache": True, "no_cfunc_wrapper": True}
HELPER = {**KERNEL, "no_cpython_wrapper": True}

# Called from Python.
kernel = numba.njit(**KERNEL)
# Called by compiled functions only: it has no entry from Python, and calling it from there crashes the interpreter.
helper = numba.njit(**HELPER)
# A helper with one caller: a part of it, and never compiled by itself.
inlined = numba.njit(inline="always", **HELPER)

# Constants of a NumPy type: numba compiles a function anew for every literal it is called with.
NONE, ZERO, ONE = np.int64(-1), np.int64(0), np.int64(1)


@helper
def filled(size, value):
    """A new array of int64; `np.zeros`, `np.full` and copies of slices would be compiled into every caller."""
    array = np.empty(size, np.int64)
    for k in range(size):
        array[k] = value
    return array
