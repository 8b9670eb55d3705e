"""Ctrl-C, also in the middle of a compiled function."""

from __future__ import annotations


def was_interrupted(error: BaseException) -> bool:
    """Whether Ctrl-C was pressed; in the middle of a compiled function Python reports it as a SystemError."""
    return isinstance(error, KeyboardInterrupt) or isinstance(error.__cause__, KeyboardInterrupt)
