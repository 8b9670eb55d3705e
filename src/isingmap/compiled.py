"""How functions are compiled: with as little as possible to do at the first use, at the same speed afterwards.

Numba links what a function calls into it and optimises it there once more, so every layer of calls costs again.
"""

from __future__ import annotations

import numba

KERNEL = {"cache": True, "no_cfunc_wrapper": True}
HELPER = {**KERNEL, "no_cpython_wrapper": True}

# Called from Python.
kernel = numba.njit(**KERNEL)
# Called by compiled functions only: it has no entry from Python, and calling it from there crashes the interpreter.
helper = numba.njit(**HELPER)
# A helper with one caller: a part of it, and never compiled by itself.
inlined = numba.njit(inline="always", **HELPER)
