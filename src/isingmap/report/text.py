"""Plain text for the screen: safe against what names may hold, aligned, at most 100 columns wide."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable

WIDTH = 100
_LABEL = 20


def printable(text: object) -> str:
    """`text` on one line, with everything that could steer a terminal written out (\\x1b, \\n, \\u202e)."""
    return "".join(_escaped(letter) for letter in str(text))


def _escaped(letter: str) -> str:
    # Cc, Cf: control and formatting characters (bidirectional overrides among them); Zl, Zp: line separators.
    if unicodedata.category(letter) in ("Cc", "Cf", "Zl", "Zp", "Cs"):
        return letter.encode("unicode_escape", "surrogatepass").decode("ascii")
    return letter


def entry(label: str, text: str) -> str:
    """A line '  label   text', wrapped below its text when it is long."""
    indent = " " * (_LABEL + 2)
    lines = textwrap.wrap(text, WIDTH - len(indent), break_on_hyphens=False) or [""]
    return "\n".join([f"  {label:<{_LABEL}}{lines[0]}", *(indent + line for line in lines[1:])]).rstrip()


def section(title: str, lines: Iterable[str]) -> str:
    """A title and its lines; nothing when there are no lines."""
    lines = list(lines)
    return "\n".join([title, *lines]) + "\n" if lines else ""


def shortened(text: object, length: int) -> str:
    """`text`, printable, cut to `length` letters."""
    text = printable(text)
    return text if len(text) <= length else text[: length - 3] + "..."


def some(items: Iterable[object], limit: int = 12) -> str:
    """The first items, printable, separated by commas, and how many more there are."""
    texts = [shortened(item, 40) for item in items]
    more = f" and {len(texts) - limit} more" if len(texts) > limit else ""
    return ", ".join(texts[:limit]) + more
