"""The report in a real browser: everything on it is clicked, typed and read."""

import shutil
import xml.etree.ElementTree as xml

import numpy as np
import pytest
from opened_page import Page

from hostile_names import NAMES
from isingmap.files.csv_file import read_csv, write_csv
from isingmap.planar.drawing.segment_crossings import has_crossings
from isingmap.report.page.page import write_page

STILL = {"name": "prefers-reduced-motion", "value": "reduce"}


@pytest.fixture
def page(browser, hostile):
    opened = Page(browser, hostile)
    yield opened
    assert [entry["message"] for entry in browser.get_log("browser")] == []  # no error, nothing refused, no alert


def test_names_are_text_and_nothing_else(page):
    assert page.find("h1").text == "<script>alert(4)</script>"
    assert page.run("return document.querySelectorAll('img[src=x], i').length") == 0
    names = [name.replace("\N{RIGHT-TO-LEFT OVERRIDE}", "\\u202e") for name in NAMES]
    assert page.texts(".table[data-kind=nodes] tbody td:first-child") == names


def test_pointing_at_a_variable_and_an_edge_tells_of_them(page):
    page.point_at("[data-node='5'] .node")
    assert page.card.startswith("plain") and "Group two." in page.card and "Strongest edges:" in page.card
    strongest = abs(page.model.couplings).argmax()
    page.run("document.querySelectorAll('.table[data-kind=edges] tbody tr')[arguments[0]].click()", int(strongest))
    for words in ("Coupling", "95 %", "in the data", "p = ", "of the refits", "all others held fixed"):
        assert words in page.card
    assert page.run("return document.querySelectorAll('#picture .strong').length") == 1


def test_words_of_variables_and_edges_have_the_numbers_of_the_tables(page, hostile):
    columns, rows = read_csv(hostile / "nodes.csv")
    row = dict(zip(columns, rows[-1], strict=True))
    page.set("find", "plain")
    by_model, in_data = (f"{50 * (1 + float(row[name])):.1f} %" for name in ("model_mean", "mean"))
    assert f"+1 (\u201c1\u201d) in {by_model} by the model, {in_data} in the data." in page.card
    degrees = [int(row[columns.index("degree")]) for row in rows]
    busiest = degrees.index(max(degrees))
    page.run("document.querySelectorAll('.table[data-kind=nodes] tbody tr')[arguments[0]].click()", busiest)
    ties = [float(text) for text in page.texts("#card td.number")]
    assert ties == sorted(ties, key=abs, reverse=True) and len(ties) == max(degrees) > 2
    for k, coupling in enumerate(page.model.couplings.tolist()):
        page.run("document.querySelectorAll('.table[data-kind=edges] tbody tr')[arguments[0]].click()", k)
        words = f": they tend to {'agree' if coupling > 0 else 'differ'}, all others held fixed."
        assert f"Coupling {coupling:.4g} (95 % " in page.card and words in page.card


def test_a_click_keeps_and_a_click_aside_lets_go(page):
    page.point_at("[data-node='5'] .node", click=True)
    rows = page.texts(".table[data-kind=edges] tbody tr.marked")
    assert len(rows) == sum(5 in edge for edge in page.model.edges.tolist()) > 0
    page.run("document.getElementById('clear').click()")
    assert page.card == "" and page.texts("tr.marked") == page.texts("[data-kind=path] tr.marked")


def test_filters_by_sign_strength_frequency_and_group(page):
    couplings = page.model.couplings
    every = list(range(len(couplings)))
    assert page.edges == every and (couplings < 0).any()
    page.set("sign", "-1")
    assert page.edges == [k for k in every if couplings[k] < 0]
    assert f"{len(page.edges)} of {len(every)} edges" in page.find("#count").text
    page.set("sign", "")
    page.set("strength", "60")
    assert page.edges == [k for k in every if abs(couplings[k]) >= 0.6 * abs(couplings).max()] != every
    assert len(page.texts(".table[data-kind=edges] tbody tr:not([hidden])")) == len(page.edges)
    page.set("strength", "0")
    page.set("frequency", "100")
    column = page.texts(".table[data-kind=edges] th").index("frequency") + 1
    frequencies = [float(text) for text in page.texts(f".table[data-kind=edges] tbody td:nth-child({column})")]
    assert page.edges == [k for k in every if frequencies[k] == 1]
    page.set("frequency", "0")
    page.run("document.querySelector('#groups input[value=\"0\"]').click()")  # those without a group
    assert page.edges == [k for k in every if 4 not in page.model.edges[k]] != every
    assert page.run("return document.querySelector('[data-node=\"4\"]').classList.contains('out')")


def test_the_slider_goes_through_the_search(page):
    last = page.run("return +document.getElementById('step').max")
    counts = []
    dots = set()
    for step in range(last + 1):
        page.set("step", str(step))
        counts.append(page.run("return document.querySelectorAll('#picture line:not(.out)').length"))
        dots.add(page.run("return document.querySelector('#curve .dot').getAttribute('cx')"))
    column = page.texts("[data-kind=path] th").index("n_edges") + 1
    assert counts == [int(text) for text in page.texts(f"[data-kind=path] tbody td:nth-child({column})")]
    assert len(dots) == last + 1 and counts[-1] == page.model.n_edges
    assert page.texts("[data-kind=path] tr.marked td:first-child") == [str(last)]


def test_a_name_is_found(page):
    page.set("find", "pla")
    assert page.card.startswith("plain")
    page.set("find", "no such name")
    assert page.find("#count").text == "No name contains this." and page.card == ""
    page.set("find", "")
    assert "edges" in page.find("#count").text


@pytest.mark.parametrize(
    ("name", "typed", "is_found"),
    [
        ("Jos\u00e9", "jose", True),
        ("Jos\u00e9", "JOSE\u0301", True),
        ("\u7761\u7720", "\u7720", True),
        ("\uff21\uff11", "a1", True),
        ("Jos\u00e9", "juan", False),
    ],
)
def test_accents_case_and_width_do_not_count_in_the_search(browser, hostile, tmp_path, name, typed, is_found):
    text = (hostile / "report.html").read_text(encoding="utf-8")
    (tmp_path / "report.html").write_text(text.replace('"plain"', f'"{name}"'), encoding="utf-8")
    page = Page(browser, tmp_path)
    page.set("find", typed)
    assert page.card.startswith(name) == is_found


def test_an_exact_name_is_taken_before_those_that_are_alike(browser, hostile, tmp_path):
    text = (hostile / "report.html").read_text(encoding="utf-8")
    other = r'"\" onmouseover=\"alert(3)"'
    assert other in text
    (tmp_path / "report.html").write_text(text.replace(other, '"PLAIN"'), encoding="utf-8")
    page = Page(browser, tmp_path)
    for typed in ("plain", "PLAIN"):
        page.set("find", typed)
        assert page.card.startswith(typed)
    page.set("find", "Plain")
    assert page.find("#count").text == "2 names contain this; go on typing."


def test_an_edge_that_was_taken_back_is_dotted_and_counted(browser, hostile, tmp_path):
    folder = shutil.copytree(hostile, tmp_path / "map")
    columns, rows = read_csv(folder / "path.csv")
    edges = {frozenset(row[:2]) for row in read_csv(folder / "edges.csv")[1]}
    pair = next([a, b] for a in NAMES for b in NAMES if a != b and frozenset((a, b)) not in edges)
    place = [columns.index(name) for name in ("source", "target", "action")]
    for action in ("add", "remove"):
        rows.append([*rows[-1]])
        for k, text in zip(place, (*pair, action), strict=True):
            rows[-1][k] = text
    write_csv(folder / "path.csv", columns, rows)
    write_page(folder, folder / "report.html")
    page = Page(browser, folder)
    last = len(rows) - 1
    for step, gone in ((last, 0), (last - 1, 1), (last - 2, 0), (0, 0)):
        page.set("step", str(step))
        assert page.run("return document.querySelectorAll('#picture .gone:not(.out)').length") == gone
        assert ("; 1 dotted edge was taken back later" in page.find("#count").text) == bool(gone)
    assert page.edges == [] and page.find("#count").text.startswith(f"0 of {len(edges)} edges and 6 of 6 variables")


def test_the_planar_layout_has_no_crossings_and_the_other_one_has_the_same_variables(page, browser):
    def places():
        boxes = page.boxes("[data-node] .node")
        return np.array([((left + right) / 2, (top + bottom) / 2) for left, top, right, bottom in boxes])

    start = places()
    assert not has_crossings(start, page.model.edges)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [STILL]})  # no journey, the places at once
    page.run("const l = document.getElementById('layout'); l.selectedIndex = 1; l.dispatchEvent(new Event('input'))")
    assert not np.allclose(places(), start, atol=5)
    page.run("const l = document.getElementById('layout'); l.selectedIndex = 0; l.dispatchEvent(new Event('input'))")
    np.testing.assert_allclose(places(), start, atol=1)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_headings_sort_and_sort_back(page):
    column = page.texts(".table[data-kind=edges] th").index("coupling") + 1
    for order in (1, -1):
        page.run(f"document.querySelector('.table[data-kind=edges] th:nth-child({column}) button').click()")
        values = [float(text) for text in page.texts(f".table[data-kind=edges] tbody td:nth-child({column})")]
        assert [order * value for value in values] == sorted(order * value for value in values)


def test_numbers_are_sorted_with_all_digits_and_empty_cells_last(page):
    column = page.texts(".table[data-kind=edges] th").index("coupling")
    cells = f".table[data-kind=edges] tbody td:nth-child({column + 1})"
    values = ["", "-1e-05", "1e+22", "0.10001", "0.10002", "-Infinity", "-2000", "9", "10"]
    page.run(
        "[...document.querySelectorAll(arguments[0])].forEach((cell, k) => {"
        "  cell.textContent = arguments[1][k] ? 'same' : '';"
        "  cell.dataset.value = arguments[1][k] ?? '';"
        "})",
        cells,
        values,
    )
    known = sorted((value for value in values if value), key=float)
    n = len(page.texts(cells))
    assert n <= len(values) and "" in values[:n]
    known = [value for value in known if value in values[:n]]
    for expected in (known, known[::-1]):
        page.run(f"document.querySelector('.table[data-kind=edges] th:nth-child({column + 1}) button').click()")
        shown = page.run("return [...document.querySelectorAll(arguments[0])].map((cell) => cell.dataset.value)", cells)
        assert shown == [*expected, ""]


def test_arrows_go_where_they_point(page):
    def place():
        (left, top, right, bottom), *_ = page.boxes("#picture .chosen .node")
        return (left + right) / 2, (top + bottom) / 2

    page.run("document.getElementById('picture').focus()")
    page.press("\ue014")
    moved = set()
    for key, axis, sign in [("\ue014", 0, 1), ("\ue012", 0, -1), ("\ue015", 1, 1), ("\ue013", 1, -1)] * 2:
        before = place()
        page.press(key)
        after = place()
        if after != before:
            moved.add(key)
            assert sign * (after[axis] - before[axis]) > 0
    assert len(moved) >= 3


def test_the_keyboard_reaches_the_map_and_every_row(page):
    from selenium.webdriver.common.keys import Keys

    page.run("document.getElementById('picture').focus()")
    page.press(Keys.ARROW_RIGHT)
    first = page.card
    page.press(Keys.ARROW_LEFT)
    page.press(Keys.ARROW_DOWN)
    page.press(Keys.ENTER)
    assert first and page.card and page.run("return document.querySelectorAll('#picture .chosen').length") > 0
    page.press(Keys.ESCAPE)
    assert page.card == ""
    page.run("document.querySelector('.table[data-kind=nodes] tbody tr').focus()")
    for _ in NAMES[1:]:
        page.press(Keys.ARROW_DOWN)
    page.press(Keys.ENTER)
    assert page.card.startswith("plain")
    page.run("document.querySelector('.skip').focus()")
    reached = set()
    for _ in range(35):
        page.press(Keys.TAB)
        reached.add(page.run("return document.activeElement.id"))
    assert {"find", "layout", "sign", "strength", "frequency", "step", "picture", "save-svg", "save-png"} <= reached


def test_without_a_variable_arrows_go_nowhere(page):
    page.run("document.querySelectorAll('#groups input').forEach((input) => input.click())")
    page.run("document.getElementById('picture').focus()")
    page.press("\ue014")  # to the right
    assert page.card == "" and page.find("#count").text.startswith("0 of ")


@pytest.mark.parametrize("key", ["0", "+", "-", "ArrowLeft"])
def test_keys_with_ctrl_or_alt_are_the_browsers(page, key):
    pressed = (
        "const e = {key: arguments[0], cancelable: true, bubbles: true, [arguments[1]]: true};"
        "return document.querySelector(arguments[2]).dispatchEvent(new KeyboardEvent('keydown', e))"
    )
    assert not page.run(pressed, key, "shiftKey", "#picture")
    assert all(page.run(pressed, key, with_, "#picture") for with_ in ("ctrlKey", "altKey", "metaKey"))
    assert page.run(pressed, "End", "ctrlKey", ".table[data-kind=nodes] tbody tr")


def test_the_keyboard_passes_over_hidden_rows(page):
    from selenium.webdriver.common.keys import Keys

    page.set("sign", "-1")
    shown = page.texts(".table[data-kind=edges] tbody tr:not([hidden])")
    assert page.texts(".table[data-kind=edges] tbody tr[tabindex='0']") == shown[:1]
    page.run("document.querySelector('.table[data-kind=edges] tr[tabindex=\\'0\\']').focus()")
    page.press(Keys.END)
    assert page.run("return document.activeElement.textContent") == shown[-1]


def test_a_variable_that_is_gone_to_comes_into_view(page):
    from selenium.webdriver.common.keys import Keys

    page.run("document.getElementById('picture').focus()")
    page.press("+", "+", "+", "+", "+", "+")
    for key in (Keys.ARROW_UP, Keys.ARROW_LEFT, Keys.ARROW_UP, Keys.ARROW_RIGHT):
        page.press(key)
        (left, top, right, bottom), *_ = page.boxes("#picture")
        (x0, y0, x1, y1), *_ = page.boxes("#picture .chosen .node")
        assert left <= (x0 + x1) / 2 <= right and top <= (y0 + y1) / 2 <= bottom


def test_the_strongest_edge_stays_and_reset_shows_everything(page):
    page.set("strength", "100")
    assert page.edges == [int(abs(page.model.couplings).argmax())]
    page.run("document.getElementById('clear').click()")
    assert len(page.edges) == page.model.n_edges and page.find("#find").get_attribute("value") == ""


def test_what_is_kept_and_then_hidden_does_not_dim_the_rest(page):
    weakest = int(abs(page.model.couplings).argmin())
    page.run("document.querySelectorAll('.table[data-kind=edges] tbody tr')[arguments[0]].click()", weakest)
    words, faint = page.card, "return document.querySelectorAll('#picture .faint').length"
    assert words and page.run(faint) > 0
    page.set("strength", "100")
    assert page.card == "" and page.run(faint) == 0
    page.set("strength", "0")
    assert page.card == words and page.run(faint) > 0


def test_zoom_by_buttons_and_keys(page):
    def spread():
        boxes = page.boxes("[data-node] .node")
        return max(box[0] for box in boxes) - min(box[0] for box in boxes)

    whole = spread()
    page.run("document.getElementById('closer').click()")
    assert spread() > 1.2 * whole
    page.run("document.getElementById('picture').focus()")
    page.press("0")
    assert spread() == pytest.approx(whole, rel=0.01)


def test_the_wheel_scrolls_the_page_and_with_ctrl_it_zooms(page):
    def width():
        boxes = page.boxes("[data-node] .node")
        return max(box[0] for box in boxes) - min(box[0] for box in boxes)

    whole = width()
    page.wheel(200)
    assert page.comes(lambda: page.run("return scrollY") > 0) and width() == pytest.approx(whole, abs=1)
    assert "Ctrl and scroll zooms the map." in page.texts("#hint")
    page.run("scrollTo({top: 0, behavior: 'instant'})")
    page.wheel(-200, ctrl=True)
    assert page.comes(lambda: width() > 1.1 * whole) and page.run("return scrollY") == 0


def test_pictures_and_tables_are_saved(page, hostile):
    page.run("document.getElementById('save-svg').click()")
    picture = xml.fromstring(page.saved("map.svg"))
    assert len(picture.findall(".//{*}line")) >= page.model.n_edges
    legend = [text.text for text in picture.findall(".//{*}text[@class='words']")]
    assert {"coupling > 0: agree", "coupling < 0: differ", "two (3)", "<i>one</i> (2)"} <= set(legend)
    assert legend == page.texts("aside .legend li span, aside #groups label span")
    page.run("document.getElementById('save-png').click()")
    image = page.saved("map.png")
    assert image[:4] == b"\x89PNG"
    size = [int.from_bytes(image[k : k + 4], "big") for k in (16, 20)]
    assert size == [int(2 * float(picture.get(side))) for side in ("width", "height")]
    for name in ("edges.csv", "nodes.csv"):
        page.run(f"document.querySelector('a[download=\"{name}\"]').click()")
        assert page.saved(name) == (hostile / name).read_bytes()


def test_what_is_kept_stands_out_in_the_saved_picture(page, tmp_path):
    page.run("document.querySelector('.table[data-kind=edges] tbody tr').click()")
    page.run("document.getElementById('save-svg').click()")
    (tmp_path / "map.svg").write_bytes(page.saved("map.svg"))
    page.browser.get((tmp_path / "map.svg").as_uri())
    widths = "return [...document.querySelectorAll(arguments[0])].map((e) => getComputedStyle(e).strokeWidth)"
    assert page.run(widths, ".strong") == ["5px"] and page.run(widths, ".near .node") == ["1.4px"] * 2


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_names_at_rest_do_not_overlap_and_nothing_is_cut_off(browser, wide, size):
    page = Page(browser, wide, *size)
    labels = page.boxes("#picture text:not(.out)")
    assert len(labels) > 2 and "names have no room here" in page.find("#count").text
    for k, (left, top, right, bottom) in enumerate(labels):
        for other in labels[:k]:
            assert left >= other[2] - 1 or right <= other[0] + 1 or top >= other[3] - 2 or bottom <= other[1] + 2
    (left, top, right, bottom), *_ = page.boxes("#picture")
    assert all(left <= box[0] and box[2] <= right and top <= box[1] and box[3] <= bottom for box in labels)
    assert bottom <= size[1]
    assert page.run("return document.documentElement.scrollWidth") <= size[0]


def test_a_choice_is_heard_by_either_event_and_tables_are_unfolded_for_print(page):
    page.run(
        "const e = document.getElementById('sign'); e.selectedIndex = 2; e.dispatchEvent(new Event('change'))",
    )
    assert page.edges == np.flatnonzero(page.model.couplings < 0).tolist()
    unfolded = "return document.querySelectorAll('details.meanings[open]').length"
    page.run("dispatchEvent(new Event('beforeprint'))")
    assert page.run(unfolded) > 1
    page.run("dispatchEvent(new Event('afterprint'))")
    assert page.run(unfolded) == 0
