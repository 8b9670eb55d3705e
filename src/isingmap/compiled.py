"""How functions are compiled: with as little as possible to do at the first use, at the same speed afterwards.

Numba links what a function calls into it and optimises it there once more, so every layer of calls costs again.
"""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core.caching import FunctionCache
from numba.core.event import Listener, register

from isingmap.errors import IsingMapWarning

Function = TypeVar("Function", bound=Callable)

KERNEL: dict[str, Any] = {"no_cfunc_wrapper": True}
HELPER: dict[str, Any] = {**KERNEL, "no_cpython_wrapper": True}


def compiled(**options: Any) -> Callable[[Function], Function]:
    """`numba.njit` with a cache on the disk, or without one where nothing can be written."""

    def decorate(function: Function) -> Function:
        dispatcher = numba.njit(**options)(function)
        if not numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
            try:
                dispatcher._cache = _ForgivingCache(function)
            except (RuntimeError, OSError):
                _warn_once()
        return dispatcher

    return decorate


class _ForgivingCache(FunctionCache):
    """A cache that may fail: a full disk or a damaged file costs compile time, and no answer."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is kept of the function as it stands."""
        try:
            return not self._cache_file._load_index()
        except Exception:
            return True

    def load_overload(self, sig, target_context):
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever a damaged file makes of itself
            return None

    def save_overload(self, sig, data):
        try:
            super().save_overload(sig, data)
        except OSError:
            _warn_once()


def is_kept(kernel: Any) -> bool:
    """Whether a kernel was compiled before, for some arguments; also where nothing can be kept."""
    kept = getattr(kernel, "_cache", None)
    return not isinstance(kept, _ForgivingCache) or not kept.is_empty


@cache
def _warn_once() -> None:
    warnings.warn(
        "compiled code cannot be kept (no folder for it can be written to), so every start compiles anew, for up to a "
        "minute; set the environment variable NUMBA_CACHE_DIR to a folder of yours",
        IsingMapWarning,
        stacklevel=2,
    )


# Called from Python; threads run kernels side by side.
kernel = compiled(nogil=True, **KERNEL)
# A kernel whose divisions are not checked for zero: the check stands in the way of vector instructions.
dividing_kernel = compiled(nogil=True, error_model="numpy", **KERNEL)
# Called by compiled functions only: it has no entry from Python, and calling it from there crashes the interpreter.
helper = compiled(**HELPER)
# A helper with one caller: a part of it, and never compiled by itself.
inlined = compiled(inline="always", **HELPER)


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


def record(fields: list[tuple]) -> np.dtype:
    """The type of a row of a table, with its fields as attributes, also under NUMBA_DISABLE_JIT."""
    plain = np.dtype(fields)
    return np.dtype((np.record, plain)) if numba.config.DISABLE_JIT else plain  # type: ignore[attr-defined]


# Constants of a NumPy type: numba compiles a function anew for every literal it is called with.
NONE, ZERO, ONE = np.int64(-1), np.int64(0), np.int64(1)


@helper
def filled(size, value):
    """A new array of int64; `np.zeros`, `np.full` and copies of slices would be compiled into every caller."""
    array = np.empty(size, np.int64)
    for k in range(size):
        array[k] = value
    return array
