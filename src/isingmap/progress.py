"""A progress bar on stderr for long work, with the time left; silent when nobody watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(unit: str, *, enabled: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A callback (done, total) that draws a bar while the block runs, or None when not enabled."""
    if not enabled:
        yield None
        return
    from tqdm import tqdm

    with tqdm(unit=f" {unit}", file=sys.stderr, leave=False, dynamic_ncols=True) as bar:

        def update(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield update
