"""The standard streams, which may be closed, full, or read by a program that has enough: nothing of it is a bug."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentTypeError
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from isingmap.cli.exit_codes import USER_ERROR
from isingmap.cli.status_line import StatusLine
from isingmap.progress import watched_by

# What `-` means where a file is read, and where one is written.
STANDARD_INPUT, STANDARD_OUTPUT = "/dev/stdin", "/dev/stdout"
_status: StatusLine | None = None
_closed: set[str] = set()


def prepare() -> None:
    """Closed streams lead nowhere, and a terminal that lacks a letter gets its number instead of an encoding error."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            _closed.add(name)
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 - open until the process ends
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def status_shown(*, enabled: bool) -> Iterator[None]:
    """Say on stderr, if that is a terminal, what is at work as long as an answer takes."""
    global _status
    if not enabled or not sys.stderr.isatty():
        yield
        return
    _status = StatusLine(sys.stderr)
    try:
        with watched_by(_status):
            yield
    finally:
        _status = None


def complain(message: str) -> None:
    """Print on stderr, if anything can be printed there."""
    if _status is not None:
        _status.hide()
    try:
        print(message, file=sys.stderr, flush=True)
    except OSError:
        abandon(sys.stderr)


def settled(code: int) -> int:
    """The exit code when all is printed: another one if the output could not be written."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        abandon(sys.stdout)
    except OSError as error:
        abandon(sys.stdout)
        complain(f"error: the output cannot be written: {error.strerror}")
        return code or USER_ERROR
    return code


def abandon(stream: TextIO) -> None:
    """Nothing can be written there; keep Python from complaining when it closes the stream."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def file_to_read(text: str) -> str:
    """The name of a file as typed; `-` is standard input."""
    return STANDARD_INPUT if text == "-" else text


def file_to_write(text: str) -> str:
    """The name of a file as typed; `-` is standard output, if it is open."""
    if text == "-" and "stdout" in _closed:
        raise ArgumentTypeError("standard output is closed; name a file instead of -")
    return STANDARD_OUTPUT if text == "-" else text


def beside(output: str | None) -> TextIO:
    """Where words go: to stderr if what is written goes to standard output."""
    return sys.stderr if output == STANDARD_OUTPUT else sys.stdout
