"""How pages are put together: templates, our own scripts and their digests, files as addresses, facts by heading."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import Any
from urllib.parse import quote

from isingmap.printable import printable
from isingmap.report import field_arcs
from isingmap.report.facts import Fact
from isingmap.report.fit_facts import CODING
from isingmap.report.map_figure import NODE_RADIUS
from isingmap.report.page.shapes import ARC_RADIUS
from isingmap.report.text import shortened

IsThere = Callable[[str], bool]  # whether there is a page in a folder, seen from that of the results

ARC = {"radius": ARC_RADIUS, "reach": field_arcs.reach(NODE_RADIUS), "width": field_arcs.WIDTH}
REPORT = "report.html"
MOST_CODINGS = 2  # kinds of labels told at the top
# Of every page with a map, in this order; the last script is that of its kind.
SCRIPTS = ("d3.min.js", "tables.js", "names.js", "saving.js", "picture.js")


def page_from(name: str, names_of_scripts: Sequence[str], **content: Any) -> str:
    """A page, HTML: a template with its style and scripts, which a browser knows by their digests."""
    scripts = [asset(each) for each in names_of_scripts]
    digests = [_digest(text) for text in scripts]
    return template(name).render(style=asset("page.css"), scripts=scripts, script_digests=digests, arc=ARC, **content)


@cache
def asset(name: str) -> str:
    """A file of ours, as text."""
    return (files("isingmap.report.page") / name).read_text(encoding="utf-8")


@cache
def _environment() -> Any:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    loader = FunctionLoader(asset)
    return Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, loader=loader)


def template(name: str) -> Any:
    """Compiled once; everything that is put into it is escaped, unless the template says that it is our own."""
    return _environment().get_template(name)


def _digest(script: str) -> str:
    """By which a browser knows that a script is ours; others it does not run."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def data_address(kind: str, content: bytes) -> str:
    """A file as an address, to be part of the page."""
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def page_in(folder: str) -> str:
    """The address of the page in a folder, seen from this one."""
    return f"{quote(folder)}/{REPORT}"


@dataclass(frozen=True)
class Linked:
    """A group or a comparison: what it is called, what there is to say of it, and its page.

    `address` is where its page is, `absent` where it should be; both are empty where none is to be looked for.
    """

    label: str
    words: str
    address: str
    absent: str


def linked(label: str, words: str, folder: str, is_there: IsThere | None) -> Linked:
    """With a link to the page in a folder, if there is one; without `is_there` nobody looks."""
    if is_there is None or not folder:
        return Linked(label, words, "", "")
    if is_there(folder):
        return Linked(label, words, page_in(folder), "")
    return Linked(label, words, "", f"{printable(folder)}/{REPORT}")


@dataclass(frozen=True)
class Section:
    """Facts under one heading: a label and paragraphs each, or lines of a list without labels."""

    heading: str
    facts: list[tuple[str, list[str]]]


def sections_of(
    facts: Iterable[Fact], parts: Mapping[str, str], other: str, *, left_out: str
) -> dict[str, list[Section]]:
    """By the part of the page they belong to: `parts` of their headings, or the `other`.

    Headings that begin with `left_out` are left to the tables.
    """
    found: dict[str, list[Section]] = {part: [] for part in (other, *parts.values())}
    for heading, members in groupby(facts, lambda fact: fact.section):
        if not heading.startswith(left_out):
            rows = [(fact.label, fact.text.split("\n")) for fact in members]
            found[parts.get(heading, other)].append(Section(heading, rows))
    return found


def codings_of(facts: Iterable[Fact]) -> list[str]:
    """What the labels of the data stand for, for the top of the page."""
    return [shortened(fact.text, 200) for fact in facts if fact.label == CODING][:MOST_CODINGS]


def rounded(places: Any) -> Sequence:
    """Places in points, to be read by scripts."""
    return places.round(2).tolist()
