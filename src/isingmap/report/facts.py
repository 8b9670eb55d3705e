"""Facts: what there is to say of a map, as data and in words, for every form of report to render."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from isingmap.model import IsingModel
from isingmap.printable import printable
from isingmap.report.text import distinct, entry, section, shortened

MOST_SHOWN = 8
STRONGEST = "Strongest"  # how the headings of couplings begin
CONVENTION = (
    "P(x) = exp(sum h_i x_i + sum J_ij x_i x_j) / Z with every x_i -1 or +1. Coupling J > 0: the two tend to "
    "agree, all others held fixed; J < 0: to disagree. Field h > 0: leans to +1. Log-likelihoods, gains and "
    "entropies are in nats."
)


CODE = "in Python"  # the label of what can be typed as it is printed


@dataclass(frozen=True)
class Fact:
    """One thing to know.

    Attributes
    ----------
    section : str
        The heading it stands under.
    label : str
        What it is of; empty for an item of a list, whose text stands alone.
    value : str, number, list, dict or None
        As JSON has it, with all digits; None where it is not known.
    text : str
        In words, safe to print; a line break separates paragraphs.
    """

    section: str
    label: str
    value: object
    text: str

    @property
    def lines(self) -> list[str]:
        """For the screen, at most 100 columns wide."""
        if not self.label:
            return [f"  {self.text}"]
        paragraphs = enumerate(self.text.split("\n"))
        return [entry("" if k else self.label, text, cut_words=self.label != CODE) for k, text in paragraphs]

    @property
    def record(self) -> dict:
        """For programs."""
        return {"section": self.section, "label": self.label, "value": self.value, "text": self.text}

    @classmethod
    def of_record(cls, record: Mapping[str, object]) -> Fact:
        """The fact that a record is of; where an older version wrote no words, the value stands for them."""
        value = record.get("value")
        text = record.get("text", value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        parts = (record.get("section", ""), record.get("label", ""))
        section, label = (printable(part) for part in parts)
        return cls(section, label, value, "\n".join(map(printable, str(text).split("\n"))))


def as_text(kind: str, title: str, facts: Sequence[Fact]) -> str:
    """A heading and the facts by section, ending with a newline."""
    parts = [kind + (f": {shortened(title, 70)}" if title else "") + "\n"]
    for name, members in groupby(facts, lambda fact: fact.section):
        parts.append(section(name, [line for fact in members for line in fact.lines]))
    return "\n".join(parts)


def strongest_couplings(model: IsingModel, errors: np.ndarray | None = None) -> Iterator[Fact]:
    """The largest couplings of either sign, with their standard errors if there are any, (n_edges,)."""
    names = distinct(map(printable, model.names), 30)
    order = np.argsort(model.couplings, kind="stable")
    positive = [k for k in order[::-1].tolist() if model.couplings[k] > 0]
    negative = [k for k in order.tolist() if model.couplings[k] < 0]
    for sign, edges in (("positive", positive), ("negative", negative)):
        for k in edges[:MOST_SHOWN]:
            error = None if errors is None or np.isnan(errors[k]) else float(errors[k])
            shown = " - ".join(names[i] for i in model.edges[k].tolist())
            yield _coupling(f"{STRONGEST} {sign} couplings ({len(edges):,} in all)", model, k, shown, error)


def _coupling(heading: str, model: IsingModel, k: int, pair: str, error: float | None) -> Fact:
    source, target = model.edge_names[k]
    coupling = float(model.couplings[k])
    shown = "" if error is None else f"   (standard error {error:.3f})"
    text = f"{coupling:+8.3f}  {pair}{shown}"
    value = {"source": source, "target": target, "coupling": coupling, "standard_error": error}
    return Fact(heading, "", value, text)


def convention() -> Fact:
    """What the signs mean."""
    return Fact("Reading it", "convention", CONVENTION, CONVENTION)


def text_fact(section: str, label: str, text: object) -> Fact:
    """A fact that is a sentence."""
    return Fact(section, label, str(text), printable(text))
