"""Ctrl-C as a note that loops look at: an exception out of nowhere harms compiled code and loses the best result.

Python raises KeyboardInterrupt wherever it happens to be, also in the middle of a compiled function, a destructor or a
rename. While `listening`, Ctrl-C only leaves a note, and `look`, called where it is safe to stop, raises instead. Who
does not wait and presses a second time before anybody looked gets Python's behaviour.
"""

from __future__ import annotations

import os
import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from isingmap.errors import IsingMapWarning

PATIENCE = 1.0  # seconds


class _Note:
    """What was heard, and for which thread (signals are handled in the main thread only)."""

    signal: int | None = None
    thread: int | None = None
    ignored = False

    def take(self) -> int | None:
        heard, self.signal = self.signal, None
        return heard


_note = _Note()


@contextmanager
def listening(*others: int) -> Iterator[None]:
    """Note Ctrl-C, and the other signals given, while the block runs; what nobody looked at is raised at its end.

    Does nothing in other threads, inside another such block, and where a program handles Ctrl-C in its own way.

    Raises
    ------
    KeyboardInterrupt
        At the end of a block that ended well although Ctrl-C was pressed.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    _note.signal, _note.ignored, _note.thread = None, False, threading.get_ident()
    before = {number: signal.signal(number, _take_note) for number in (signal.SIGINT, *others)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        _note.thread = None
    if _note.take() is not None:
        raise KeyboardInterrupt


def _take_note(number: int, frame) -> None:
    if _note.signal is not None:
        _note.signal = None
        raise KeyboardInterrupt
    _note.signal = number


def look() -> None:
    """Stop here if somebody wants to: a place where nothing is half done.

    It raises once in each `listening` block, so that what was found until then can be saved in peace.

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C was pressed since the last look.
    """
    if _note.signal is not None and not _note.ignored and threading.get_ident() == _note.thread:
        _note.ignored = True
        raise KeyboardInterrupt(_note.take())


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let `look` overlook what comes while the block runs: a result is being brought home."""
    if threading.get_ident() != _note.thread:
        yield
        return
    before, _note.ignored = _note.ignored, True
    try:
        yield
    finally:
        _note.ignored = before


@contextmanager
def guest(home: int) -> Iterator[None]:
    """In a process of others: Ctrl-C is for the one that waits there, and warnings would be said a thousand times.

    `home` is the process that waits; nothing is done where this is the one.
    """
    if os.getpid() == home:
        yield
        return
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IsingMapWarning)
        yield


@contextmanager
def deaf_processes() -> Iterator[None]:
    """Processes that are started inside the block never hear Ctrl-C, as they would before they are a `guest`.

    They inherit which signals are blocked. What comes for this process waits for the end of the block; Windows, where
    nothing is inherited, does without.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def noted() -> int | None:
    """The signal that came since the last look, if any; nobody else will see it."""
    return _note.take() if threading.get_ident() == _note.thread else None


def wants_to_stop(since: float) -> bool:
    """Whether somebody does, asked in any thread, also while `undisturbed`; the note stays for others.

    What takes no longer than `PATIENCE` from `since` on, on the clock of `time.monotonic`, is finished all the same.
    """
    return _note.signal is not None and monotonic() > since + PATIENCE


def was_interrupted(error: BaseException | None) -> bool:
    """Whether Ctrl-C is among the causes; in the middle of a compiled function Python makes a SystemError of it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, KeyboardInterrupt):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False
