"""Warnings that are issued as usual and also heard by whoever keeps a record of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from isingmap.errors import IsingMapWarning

# A variable of the context, not of the module: fits in several threads do not hear each other.
_LISTENERS: ContextVar[tuple[list[str], ...]] = ContextVar("listeners", default=())
_UNHEARD: ContextVar[bool] = ContextVar("unheard", default=False)


def warn(message: str, category: type[IsingMapWarning], *, stacklevel: int = 1) -> None:
    """Issue a warning, but inside `unheard`; `stacklevel` counts as in `warnings.warn`.

    It is heard also when Python's filters do not show it, as they do with a warning that is repeated.
    """
    if _UNHEARD.get():
        return
    for heard in _LISTENERS.get():
        heard.append(message)
    warnings.warn(message, category, stacklevel=stacklevel + 1)


@contextmanager
def heard_warnings() -> Iterator[list[str]]:
    """The texts of the warnings that are issued inside the block, in a list that grows."""
    heard: list[str] = []
    token = _LISTENERS.set((*_LISTENERS.get(), heard))
    try:
        yield heard
    finally:
        _LISTENERS.reset(token)


@contextmanager
def unheard() -> Iterator[None]:
    """Warnings inside the block are neither issued nor heard: what they are about is not what the caller gets."""
    token = _UNHEARD.set(True)
    try:
        yield
    finally:
        _UNHEARD.reset(token)
