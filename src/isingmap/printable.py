"""Text that is safe on a terminal, whatever names and paths may hold."""

from __future__ import annotations

import unicodedata


def printable(text: object) -> str:
    """`text` on one line, with everything that could steer a terminal written out (\\x1b, \\n, \\u202e)."""
    return "".join(_escaped(letter) for letter in str(text))


def _escaped(letter: str) -> str:
    # Cc, Cf: control and formatting characters (bidirectional overrides among them); Zl, Zp: line separators.
    if unicodedata.category(letter) in ("Cc", "Cf", "Zl", "Zp", "Cs"):
        return letter.encode("unicode_escape", "surrogatepass").decode("ascii")
    return letter
