"""Plain text for the screen: safe against what names may hold, aligned, at most 100 columns wide."""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import count
from os.path import commonprefix

from isingmap.printable import printable

WIDTH = 100
_LABEL = 20


def entry(label: str, text: str, *, cut_words: bool = True) -> str:
    """A line '  label   text', wrapped below its text when it is long; words of code are not cut."""
    indent = " " * (_LABEL + 2)
    width = WIDTH - len(indent)
    lines = textwrap.wrap(text, width, break_on_hyphens=False, break_long_words=cut_words) or [""]
    return "\n".join([f"  {label:<{_LABEL}}{lines[0]}", *(indent + line for line in lines[1:])]).rstrip()


def section(title: str, lines: Iterable[str]) -> str:
    """A title and its lines; nothing when there are no lines."""
    lines = list(lines)
    return "\n".join([title, *lines]) + "\n" if lines else ""


def shortened(text: object, length: int) -> str:
    """`text`, printable, cut to `length` letters."""
    text = printable(text)
    return text if len(text) <= length else text[: length - 3] + "..."


def cut_between_words(text: str, length: int) -> str:
    """`text` cut to `length` letters, between two words if there is a place for it in the second half."""
    if len(text) <= length:
        return text
    cut = text[: length - 3]
    end = cut.rfind(" ")
    return (cut[:end] if end > length // 2 else cut) + " ..."


def distinct(texts: Iterable[str], length: int, dots: str = "...") -> list[str]:
    """The texts cut to `length` letters so that no two become alike: long beginnings that they share are left out.

    What is alike even so gets a number.
    """
    texts = list(texts)
    shown = [_cut(text, length, dots) for text in texts]
    for alike in _alike(shown):
        shared = len(commonprefix([texts[k] for k in alike]))
        for k in alike:
            shown[k] = _cut(texts[k], length, dots, shared)
    taken = set(shown)
    for alike in _alike(shown):
        numbers = count(2)
        for k in alike[1:]:
            shown[k] = next(text for text in _numbered(shown[alike[0]], numbers, length) if text not in taken)
            taken.add(shown[k])
    return shown


def _alike(texts: list[str]) -> list[list[int]]:
    """Places of equal texts, where there are two or more."""
    places = defaultdict(list)
    for k, text in enumerate(texts):
        places[text].append(k)
    return [alike for alike in places.values() if len(alike) > 1]


def _cut(text: str, length: int, dots: str, shared: int = 0) -> str:
    """At most `length` letters: the beginning, and what follows `shared` letters that others begin with too."""
    if len(text) <= length:
        return text
    head = length // 3
    room = length - head - len(dots)
    start = min(shared - 2, len(text) - room)
    if start <= head + len(dots):
        return text[: length - len(dots)] + dots
    return text[:head] + dots + _cut(text[start:], room, dots)


def _numbered(text: str, numbers: Iterable[int], length: int) -> Iterator[str]:
    for number in numbers:
        suffix = f" ({number})"
        yield text[: length - len(suffix)] + suffix


def some(items: Iterable[object], limit: int = 12) -> str:
    """The first items, printable, separated by commas, and how many more there are."""
    texts = distinct(map(printable, items), 40)
    more = f" and {len(texts) - limit} more" if len(texts) > limit else ""
    return ", ".join(texts[:limit]) + more
