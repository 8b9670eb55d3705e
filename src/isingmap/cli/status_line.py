"""One line on a terminal's stderr that says what is at work, while an answer takes long; gone when there is one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

PATIENCE = 2.0  # seconds after which anything is shown; what is slow is shown at once


class StatusLine:
    """A watcher of `progress.at_work`."""

    def __init__(self, stream: TextIO):
        self.stream = stream
        self._doing: list[str] = []
        self._shown = ""
        self._lock = threading.RLock()  # the timer runs in another thread

    @contextmanager
    def __call__(self, what: str, slow: bool) -> Iterator[None]:
        """Show `what` inside the block, at once if it is slow."""
        timer = threading.Timer(PATIENCE, self._show)
        timer.daemon = True
        timer.start()
        with self._lock:
            self._doing.append(what)
            if slow or self._shown:
                self._show()
        try:
            yield
        finally:
            timer.cancel()
            with self._lock:
                self._doing.pop()
                if self._shown:
                    self._show()

    def _show(self) -> None:
        with self._lock:
            self.hide()
            if self._doing:
                self._shown = f"at work: {self._doing[-1]}"
                self._write(self._shown)

    def hide(self) -> None:
        """Wipe the line, for others to write there."""
        with self._lock:
            if self._shown:
                self._write("\r" + " " * len(self._shown) + "\r")
            self._shown = ""

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):
            self.stream.write(text)
            self.stream.flush()
