"""Letters that matplotlib's own font lacks: taken from fonts that have them, or one warning that says what to do."""

import xml.etree.ElementTree as ElementTree

import pytest
from matplotlib import font_manager

from isingmap.errors import DataWarning
from isingmap.report import fonts
from isingmap.report.fonts import fonts_for
from isingmap.report.plots import draw_map

SLEEP = "\u7761\u7720"  # no font that comes with matplotlib has these
HOOKED = "\u1d81"  # not in DejaVu Sans; in STIXGeneral, which comes with matplotlib
PAIR = {"edges": [(0, 1)], "couplings": [1.0]}


def texts(path):
    elements = ElementTree.parse(path).getroot().iter()
    return ["".join(element.itertext()).strip() for element in elements if element.tag.endswith("}text")]


@pytest.fixture
def only_own_fonts(monkeypatch):
    """A computer with the fonts that matplotlib brings along."""
    own = [entry for entry in font_manager.fontManager.ttflist if "mpl-data" in entry.fname]
    monkeypatch.setattr(font_manager.fontManager, "ttflist", own)
    monkeypatch.setattr(font_manager, "findSystemFonts", list)
    return own


def test_letters_that_no_font_has_are_told_once_and_stay_text(only_own_fonts, tmp_path, recwarn):
    paths = [tmp_path / f"map.{kind}" for kind in ("png", "svg", "pdf")]
    draw_map(paths, names=[SLEEP, "plain"], **PAIR, title="of " + SLEEP)
    assert [found.category for found in recwarn] == [DataWarning]
    said = str(recwarn[0].message)
    assert f"'{SLEEP}'" in said
    assert "plain" not in said
    assert "apt-get install fonts-noto-cjk)" in said
    assert {SLEEP, "plain"} <= set(texts(tmp_path / "map.svg"))


def test_letters_come_from_a_font_that_has_them(only_own_fonts, monkeypatch, tmp_path, recwarn):
    monkeypatch.setattr(fonts, "_known_families", lambda: ["STIXGeneral"])
    draw_map([tmp_path / "map.svg", tmp_path / "map.png"], names=[HOOKED, "plain"], **PAIR)
    assert not list(recwarn)
    assert "STIXGeneral" in (tmp_path / "map.svg").read_text("utf-8")


def test_fonts_are_looked_for_only_where_letters_are_lacking(only_own_fonts, monkeypatch, tmp_path):
    monkeypatch.setattr(fonts, "_known_families", lambda: pytest.fail("looked for fonts"))
    draw_map(tmp_path / "map.svg", names=["\u00e9\u0416\u03b1", "\u05e9\u0644"], **PAIR)
    assert "STIXGeneral" not in (tmp_path / "map.svg").read_text("utf-8")


def test_fonts_installed_since_matplotlib_made_its_list_are_found(only_own_fonts, monkeypatch):
    [new] = {entry.fname for entry in only_own_fonts if entry.fname.endswith("STIXGeneral.ttf")}
    left = [entry for entry in only_own_fonts if not entry.name.startswith("STIX")]
    monkeypatch.setattr(font_manager.fontManager, "ttflist", left)
    assert "STIXGeneral" not in fonts_for([HOOKED]).families
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda: [new, __file__])
    assert "STIXGeneral" in fonts_for([HOOKED]).families


def test_fewest_fonts_ties_by_name(monkeypatch, only_own_fonts):
    holdings = {"B": "\u4e00\u4e01", "A": "\u4e01\u4e02", "C Sans": "\u4e00\u4e01", "D": "\u4e03"}

    def held(family, letters, *, lacking=False):
        return letters if lacking else letters & set(holdings[family])

    monkeypatch.setattr(fonts, "_known_families", lambda: list(holdings))
    monkeypatch.setattr(fonts, "_held", held)
    found = fonts_for(["\u4e00\u4e01", "\u4e02\u4e04"])
    assert found.families == ("DejaVu Sans", "C Sans", "A")
    assert found.lost == {"\u4e04"}
    assert found.measurable("a\u4e00\u4e04") == "a\u4e00\N{WHITE SQUARE}"
