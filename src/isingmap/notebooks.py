"""What notebooks show of models and fits, told from above: the layer that draws lies over those that are drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# Set by the package when it is imported.
_renderer: Callable[[Any], str] | None = None


def set_renderer(renderer: Callable[[Any], str]) -> None:
    """Let `renderer` make the HTML of a model or a learned map."""
    global _renderer
    _renderer = renderer


def html_of(found: Any) -> str | None:
    """HTML for a notebook, or None, and it shows the plain text."""
    return None if _renderer is None else _renderer(found)
