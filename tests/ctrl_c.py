"""Ctrl-C at a known place, for tests of what is kept then."""

import signal

from isingmap.resampling import run


def press_after(n_outcomes, monkeypatch):
    """Press Ctrl-C when so many fits of a resampling or of permutations have come, before the next is taken over."""
    original = run._side_by_side

    def interrupted(refit, numbers):
        for k, outcome in enumerate(original(refit, numbers)):
            if k == n_outcomes:
                signal.raise_signal(signal.SIGINT)
            yield outcome

    monkeypatch.setattr(run, "_side_by_side", interrupted)
