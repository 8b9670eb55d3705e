"""How kernels are compiled. Every entry point left out is compile time saved at the first use."""

from __future__ import annotations

import numba

KERNEL = {"cache": True, "no_cfunc_wrapper": True}
HELPER = {**KERNEL, "no_cpython_wrapper": True}

# Called from Python.
kernel = numba.njit(**KERNEL)
# Called by compiled functions only: it has no entry from Python, and calling it from there crashes the interpreter.
helper = numba.njit(**HELPER)
