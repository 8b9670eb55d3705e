"""Warnings that are issued as usual and also heard by whoever keeps a record of them."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from isingmap.errors import IsingMapWarning

_OURS = os.path.dirname(__file__) + os.sep, contextlib.__file__

# A variable of the context, not of the module: fits in several threads do not hear each other.
_LISTENERS: ContextVar[tuple[list[str], ...]] = ContextVar("listeners", default=())
_ABOUT: ContextVar[str] = ContextVar("about", default="")
_UNHEARD: ContextVar[bool] = ContextVar("unheard", default=False)


def warn(message: str, category: type[IsingMapWarning]) -> None:
    """Issue a warning that points at the line by which the package was called, however deep down it is issued.

    Inside `unheard` nothing is issued. It is heard also when Python's filters do not show it, as they do with a warning
    that is repeated.
    """
    if _UNHEARD.get():
        return
    for heard in _LISTENERS.get():
        heard.append(message)
    warnings.warn(f"{_ABOUT.get()}{message}", category, stacklevel=1 + _levels_to_caller())


def _levels_to_caller() -> int:
    """Levels from `warn` up to the first code that is not of this package, which may be behind decorators."""
    frame, levels = sys._getframe(1), 0
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OURS):
        frame, levels = frame.f_back, levels + 1
    return levels


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
def warnings_about(what: str) -> Iterator[None]:
    """Warnings that are issued inside the block say first what they are about; those who keep a record know."""
    token = _ABOUT.set(f"{_ABOUT.get()}{what}: ")
    try:
        yield
    finally:
        _ABOUT.reset(token)


@contextmanager
def unheard() -> Iterator[None]:
    """Warnings inside the block are neither issued nor heard: what they are about is not what the caller gets."""
    token = _UNHEARD.set(True)
    try:
        yield
    finally:
        _UNHEARD.reset(token)
