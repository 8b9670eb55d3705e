"""What readers with a keyboard or a screen reader go by, on all kinds of pages: headings, labels, addresses inside."""

from html.parser import HTMLParser

import pytest

from isingmap.files.csv_file import write_csv
from isingmap.report.columns import names_in
from isingmap.report.page.page import write_page


class Outline(HTMLParser):
    """(tag, attributes, tags around it) of all elements."""

    VOID = frozenset(("meta", "input", "img"))

    def __init__(self, text):
        super().__init__()
        self.elements, self._around = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs), tuple(self._around)))
        if tag not in self.VOID:
            self._around.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs), tuple(self._around)))

    def handle_endtag(self, tag):
        assert self._around.pop() == tag, f"</{tag}> closes nothing"


@pytest.fixture(params=["fit", "comparison", "groups"])
def outline(request, tmp_path):
    if request.param == "groups":
        folder = tmp_path
        write_csv(folder / "groups.csv", names_in("groups.csv"), [("<b>", "one", 50.0, 1, 6, 0.25, -100.0)])
        write_csv(folder / "comparisons.csv", names_in("comparisons.csv"), [])
        write_page(folder, folder / "report.html")
    else:
        folder = request.getfixturevalue("hostile" if request.param == "fit" else "judged")
    return Outline((folder / "report.html").read_text(encoding="utf-8")).elements


def test_headings_leave_out_no_level(outline):
    levels = [int(tag[1]) for tag, *_ in outline if tag in ("h1", "h2", "h3", "h4")]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:], strict=False))


def test_what_is_named_is_there_once(outline):
    names = [attributes["id"] for _, attributes, _ in outline if "id" in attributes]
    assert len(names) == len(set(names))
    references = ("for", "aria-labelledby", "aria-describedby", "list")
    wanted = {attributes[key] for _, attributes, _ in outline for key in references if key in attributes}
    wanted |= {a["href"][1:] for _, a, _ in outline if a.get("href", "").startswith("#")}
    assert wanted <= set(names)


def test_every_control_table_and_picture_says_what_it_is(outline):
    for tag, attributes, around in outline:
        if tag in ("input", "select"):
            assert "label" in around
        if attributes.get("role") in ("region", "img") or (tag == "img"):
            assert attributes.get("aria-label") or attributes.get("alt")
        if tag == "svg" and "role" not in attributes:
            assert attributes["aria-hidden"] == "true"
        if tag == "th":
            assert attributes["scope"] == "col"
    assert outline[0][0] == "html" and outline[0][1]["lang"] == "en"
