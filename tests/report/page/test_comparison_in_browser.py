"""The page of a comparison in a real browser: views, filters, words, keyboard, a phone."""

import json
import shutil
import xml.etree.ElementTree as xml

import numpy as np
import pytest
from opened_page import Page

from hostile_names import GROUPS, NAMES
from isingmap.files.csv_file import read_csv
from isingmap.report.page.comparison_folder import read_comparison
from isingmap.report.page.difference_picture import owners_of
from isingmap.report.page.page import write_page


@pytest.fixture(scope="module")
def found(compared):
    return read_comparison(compared)


@pytest.fixture
def page(browser, compared):
    opened = Page(browser, compared)
    yield opened
    assert [entry["message"] for entry in browser.get_log("browser")] == []  # no error, nothing refused, no alert


def choose(page, identity, index):
    page.run(
        "const e = document.getElementById(arguments[0]); e.selectedIndex = arguments[1];"
        "e.dispatchEvent(new Event('input'))",
        identity,
        index,
    )


def test_names_are_text_and_groups_are_links(page):
    assert page.find("h1").text == "<script>alert(6)</script>"
    assert page.texts(".compared a") == list(GROUPS)
    page.find(".compared a").click()
    assert page.find("h1").text == f"<script>alert(6)</script>: {GROUPS[0]}"
    assert page.texts("#groups") == [] and page.texts(".table[data-kind=nodes] tbody td:first-child")[-1] == "plain"


def test_views_show_differences_and_both_maps(page, found):
    every = list(range(len(found.rows)))
    colours = "return [...document.querySelectorAll('#picture line')].map((e) => e.getAttribute('stroke'))"
    assert page.edges == every
    by_owner = page.run(colours)
    for k in range(2):
        choose(page, "view", 2 + k)
        assert page.edges == np.flatnonzero(found.couplings[:, k]).tolist() != every
        assert page.run("return document.querySelectorAll('#picture [stroke-opacity]:not(.out)').length") == 0
        assert any("coupling > 0" in text for text in page.texts(".legend:not([hidden]) li"))
    choose(page, "view", 1)
    assert page.edges == every and page.run(colours) != by_owner
    assert any("more positive in" in text for text in page.texts(".legend:not([hidden]) li"))
    choose(page, "view", 0)
    assert page.run(colours) == by_owner


def test_filters_by_map_difference_and_p(page, found):
    owners, difference = owners_of(found), np.abs(found.differences.couplings)
    for owner in range(3):
        choose(page, "owner", 1 + owner)
        assert page.edges == np.flatnonzero(owners == owner).tolist()
        assert len(page.texts(".table[data-kind=edges] tbody tr:not([hidden])")) == len(page.edges)
    page.run("document.getElementById('clear').click()")
    page.set("strength", "60")
    assert page.edges == np.flatnonzero(difference >= 0.6 * difference.max()).tolist()
    page.set("strength", "0")
    choose(page, "sure", 2)
    assert page.edges == np.flatnonzero(found.holm < 0.05).tolist()
    assert page.find("#count").text.startswith(f"{len(page.edges)} of {len(owners)} edges")


def test_what_is_sure_by_filter_and_by_look(browser, judged):
    page = Page(browser, judged)
    numbers = (
        "return [...document.querySelectorAll(arguments[0])].map((e) => +(e.dataset.edge ?? e.dataset.star)).sort()"
    )
    pale, stars = "#picture line[stroke-opacity]:not(.out)", ".stars:not(.out) > path:not(.out)"
    unsure = [k for k in page.edges if k not in (0, 1, 3)]
    for view, (faded, marked) in enumerate([(unsure, [0, 3])] * 2 + [([], [])] * 2):
        choose(page, "view", view)
        assert page.run(numbers, stars) == marked
        assert page.run(numbers, pale) == faded
    choose(page, "view", 0)
    for (left, top, right, bottom), line in zip(
        page.boxes("#picture .star"),
        page.boxes("#picture line[data-edge='0'], #picture line[data-edge='3']"),
        strict=True,
    ):
        assert (left + right) / 2 == pytest.approx((line[0] + line[2]) / 2, abs=2)
        assert (top + bottom) / 2 == pytest.approx((line[1] + line[3]) / 2, abs=2)
    for index, edges in ((1, [0, 1, 3]), (2, [0, 3])):
        choose(page, "sure", index)
        assert page.edges == edges and page.run(numbers, stars) == [0, 3]
    page.run("document.getElementById('save-svg').click()")
    picture = xml.fromstring(page.saved("difference.svg"))
    assert len(picture.findall(".//{*}line[@data-edge]")) == len(picture.findall(".//{*}path[@data-star]")) == 2


def test_words_have_the_numbers_of_each_group(page, compared, found):
    columns, rows = read_csv(compared / "differences.csv")
    for k in range(len(found.rows)):
        page.run("document.querySelectorAll('.table[data-kind=edges] tbody tr')[arguments[0]].click()", k)
        row = dict(zip(columns, rows[k], strict=True))
        both = [f"{float(row[name]):.4g}" for name in ("coupling_first", "coupling_second")]
        both = ["no edge" if text == "0" else text for text in both]
        assert f"{GROUPS[0]}: {both[0]}; {GROUPS[1]}: {both[1]}." in page.card
        assert f"Difference ({GROUPS[1]} less {GROUPS[0]}): {float(row['difference']):.4g}." in page.card
        assert (
            f"(p = {float(row['p_value']):.4g}); corrected for all pairs (Holm) p = {float(row['p_holm']):.4g}."
            in page.card
        )
    columns, rows = read_csv(compared / "variables.csv")
    row = dict(zip(columns, rows[-1], strict=True))
    page.set("find", "plain")
    shares = [f"{50 * (1 + float(row[name])):.1f} %" for name in ("mean_first", "mean_second")]
    assert f"+1 (\u201c1\u201d) in {shares[0]} of {GROUPS[0]}, {shares[1]} of {GROUPS[1]}." in page.card
    assert (
        "Fields {:.4g} and {:.4g}.".format(*(float(row[f"field_{which}"]) for which in ("first", "second")))
        in page.card
    )
    ties = [float(text) for text in page.texts("#card td.number")]
    assert ties == sorted(ties, key=abs, reverse=True)


def test_words_of_edges_and_variables(page, found):
    surest = page.run("document.querySelector('.table[data-kind=edges] tbody tr').click(); return 0")
    both = [f"{name}: " for name in GROUPS]
    for words in (
        *both,
        "Difference (",
        "of the permutations, this one counted with them (p = ",
        "corrected for all pairs (Holm) p = ",
    ):
        assert words in page.card
    assert page.run("return document.querySelectorAll('#picture .strong').length") == 1
    page.set("find", "plain")
    for words in ("plain\n", f" of {GROUPS[0]}, ", f" of {GROUPS[1]}.", "Fields ", "Sums of |couplings| ", "Largest"):
        assert words in page.card
    n_ties = int((found.differences.edges == len(NAMES) - 1).any(axis=1).sum())
    assert page.run("return document.querySelectorAll('#card table tr').length") == n_ties > 0
    assert surest == 0


def test_the_keyboard_reaches_every_number(page, found):
    from selenium.webdriver.common.keys import Keys

    page.run("document.querySelector('.skip').focus()")
    reached = set()
    for _ in range(45):
        page.press(Keys.TAB)
        reached.add(page.run("return document.activeElement.id || document.activeElement.tagName"))
    assert {"find", "view", "owner", "strength", "sure", "picture", "save-svg", "TR"} <= reached
    page.run("document.querySelector('.table[data-kind=edges] tbody tr').focus()")
    for _ in found.rows[1:]:
        page.press(Keys.ARROW_DOWN)
    assert page.run("return document.activeElement.matches(':last-child')")
    page.press(Keys.ENTER)
    assert "Difference (" in page.card


def test_the_picture_is_saved_with_the_legend_of_its_view(page):
    choose(page, "view", 1)
    page.run("document.getElementById('save-svg').click()")
    picture = xml.fromstring(page.saved("difference-by-sign.svg"))
    legend = [text.text for text in picture.findall(".//{*}text[@class='words']")]
    assert legend == page.texts("aside .legend:not([hidden]) li span") and len(legend) > 3


def test_on_a_phone_nothing_is_cut_off(browser, compared):
    page = Page(browser, compared, 390, 844)
    assert page.run("return document.documentElement.scrollWidth") <= 390
    assert len(page.edges) > 2


@pytest.mark.parametrize("width", [390, 1280])
def test_long_labels_are_cut_where_there_is_no_room(browser, compared, tmp_path, width):
    folder = shutil.copytree(compared, tmp_path / "both")
    document = json.loads((folder / "comparison.json").read_text(encoding="utf-8"))
    document |= {"groups": ["those asked in spring " * 9, "n" * 200], "title": "t" * 300}
    (folder / "comparison.json").write_text(json.dumps(document), encoding="utf-8")
    write_page(folder, folder / "report.html")
    page = Page(browser, folder, width, 844)
    page.run("document.querySelector('.filters').open = true")
    page.run("document.querySelector('.table[data-kind=edges] tbody tr').click()")
    assert page.run("return document.documentElement.scrollWidth") <= width
