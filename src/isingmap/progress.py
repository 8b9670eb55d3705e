"""What long work shows on stderr: a bar with the time left, or which method is at work; silent when nobody watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

# Told what begins, and whether it is slow; what it returns is left when that ends.
Watcher = Callable[[str, bool], AbstractContextManager]
_WATCHER: ContextVar[Watcher | None] = ContextVar("watcher", default=None)
# Told what heads the bar that is drawn.
_TITLE: ContextVar[Callable[[str], None] | None] = ContextVar("title", default=None)


@contextmanager
def progress_bar(unit: str, *, enabled: bool, scaled: bool = False) -> Iterator[Callable[[int, int], None] | None]:
    """A callback (done, total) that draws a bar while the block runs, or None when not enabled.

    Counts that are `scaled` are written as 3.2M.
    """
    if not enabled:
        yield None
        return
    from tqdm import tqdm

    with (
        watched_by(None),
        tqdm(unit=f" {unit}", file=sys.stderr, leave=False, dynamic_ncols=True, unit_scale=scaled) as bar,
    ):

        def update(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        token = _TITLE.set(bar.set_description)
        try:
            yield update
        finally:
            _TITLE.reset(token)


def entitle(what: str) -> None:
    """Head the bar, if one is drawn, with what is at work from now on."""
    title = _TITLE.get()
    if title is not None:
        title(what)


@contextmanager
def watched_by(watcher: Watcher | None) -> Iterator[None]:
    """Let `watcher` hear what is at work inside the block; None: nobody."""
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)


@contextmanager
def at_work(what: str, *, slow: bool = False) -> Iterator[None]:
    """Say what is at work inside the block, in a few words; `slow` if faster ways have been tried in vain."""
    watcher = _WATCHER.get()
    if watcher is None:
        yield
        return
    with watcher(what, slow):
        yield
