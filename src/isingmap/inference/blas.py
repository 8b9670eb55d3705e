"""One BLAS thread for the many small products of a factorisation: on a busy machine several make them far slower."""

from __future__ import annotations

from functools import cache

from threadpoolctl import ThreadpoolController


@cache
def _controller() -> ThreadpoolController:
    # Made once, after NumPy and SciPy are loaded: looking for the libraries takes milliseconds.
    return ThreadpoolController().select(user_api="blas")


def one_blas_thread():
    """Context manager that limits BLAS to one thread and restores the caller's setting."""
    return _controller().limit(limits=1)
