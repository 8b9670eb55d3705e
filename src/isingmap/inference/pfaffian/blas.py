"""One BLAS thread for the many small products of a factorisation: on a busy machine several make them far slower."""

from __future__ import annotations

from functools import cache
from threading import RLock
from typing import Any

from threadpoolctl import ThreadpoolController


@cache
def _controller() -> ThreadpoolController:
    # Made once, after NumPy and SciPy are loaded: looking for the libraries takes milliseconds.
    return ThreadpoolController().select(user_api="blas")


class _OneThread:
    """Limits BLAS on the first entry and restores it on the last exit: searches nest thousands of entries a second."""

    def __init__(self):
        self._lock = RLock()
        self._depth = 0
        self._limit: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if self._depth == 0:
                self._limit = _controller().limit(limits=1)
            self._depth += 1

    def __exit__(self, *error) -> None:
        with self._lock:
            self._depth -= 1
            if self._depth == 0:
                self._limit.restore_original_limits()


_ONE_THREAD = _OneThread()


def one_blas_thread() -> _OneThread:
    """Context manager that limits BLAS to one thread and restores the caller's setting."""
    return _ONE_THREAD
