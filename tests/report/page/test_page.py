"""The report without a browser: what is in the file, and folders that it is not made of."""

import csv
import json
import math
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from elements import Elements

from hostile_names import NAMES
from isingmap import IsingModel
from isingmap.cli.main import main
from isingmap.errors import FileFormatError, ModelError, OutputExistsError
from isingmap.files.csv_file import read_csv, write_csv
from isingmap.report.columns import meaning_of
from isingmap.report.page.cells import shown_table
from isingmap.report.page.fit_page import page_of
from isingmap.report.page.folder import read_results
from isingmap.report.page.page import write_page
from isingmap.report.page.rendering import SCRIPTS
from isingmap.report.page.shapes import ARC_RADIUS, arc_path
from isingmap.report.page.sources import Table, read_table
from isingmap.report.page.steps import curve_of, steps_of


@pytest.fixture(scope="module")
def page(hostile):
    return Elements((hostile / "report.html").read_text(encoding="utf-8"))


def test_everything_is_there_without_a_script(page, hostile):
    model = IsingModel.load(hostile / "model.json")
    assert page.count("g", "data-node") == page.count("text", "data-label") == model.n_spins
    assert page.count("line", "data-edge") == model.n_edges > 0
    columns, rows = read_csv(hostile / "edges.csv")
    assert set(columns) <= set(page.texts["th"])
    values = {attributes.get("data-value") for _, attributes in page.elements} | set(page.texts["td"])
    assert {cell for row in rows for cell in row[2:] if cell} <= values  # all digits
    assert any(tag == "form" and "hidden" in attributes for tag, attributes in page.elements)


def test_strong_edges_are_drawn_above_weak_ones(page, hostile):
    couplings = IsingModel.load(hostile / "model.json").couplings
    drawn = [int(a["data-edge"]) for tag, a in page.elements if tag == "line" and "data-edge" in a]
    assert (np.diff(np.abs(couplings)[drawn]) >= 0).all() and len(drawn) == len(couplings)


@pytest.mark.parametrize("field", [-3.0, -0.9, -0.4, 0.2, 0.5, 0.6, 20.0])
def test_an_arc_ends_where_its_field_is(field):
    flags, x, y = re.fullmatch(r"M0,-\S+A\S+ 0 (\d \d) (\S+),(\S+)", arc_path(field)).groups()
    angle = math.radians(min(360 * math.tanh(abs(field)), 359.9))  # from the top
    assert flags == f"{int(angle > math.pi)} {int(field > 0)}"
    assert float(x) == pytest.approx(math.copysign(1, field) * ARC_RADIUS * math.sin(angle), abs=0.001)
    assert float(y) == pytest.approx(-ARC_RADIUS * math.cos(angle), abs=0.001)


def test_headings_tell_what_they_mean(page):
    titles = {attributes["data-column"]: attributes.get("title") for tag, attributes in page.elements if tag == "th"}
    assert all(titles.values())
    assert titles["field"] == meaning_of("nodes.csv", "field") and titles["field"].endswith("(nats)")


def test_no_name_becomes_an_element_or_an_attribute(page):
    tags = [tag for tag, _ in page.elements]
    assert tags.count("script") == len(SCRIPTS) + 2 and "i" not in tags
    assert not any(name.startswith("on") for _, attributes in page.elements for name in attributes)
    assert all(attributes["src"].startswith("data:") for tag, attributes in page.elements if tag == "img")
    shown = [name for name in NAMES if name.isprintable()]
    assert set(shown) <= set(page.texts["td"]) and "{{ 7 * 7 }} \\u202elive" in page.texts["td"]


def test_nothing_is_loaded_from_elsewhere_and_no_other_script_runs(page):
    policy = next(a["content"] for tag, a in page.elements if tag == "meta" and "http-equiv" in a)
    assert policy.startswith("default-src 'none'; base-uri 'none'; form-action 'none'; ")
    assert "unsafe-inline" not in policy.split("script-src")[1]
    addresses = [a.get("href") or a.get("src") for _, a in page.elements if a.get("href") or a.get("src")]
    assert all(address.startswith(("#", "data:")) for address in addresses)


def test_facts_and_warnings_are_on_the_page(page, hostile):
    facts = json.loads((hostile / "model.json").read_text(encoding="utf-8"))["facts"]
    text = "".join(page.texts["p"] + page.texts["li"])
    told = [fact for fact in facts if not fact["section"].startswith("Strongest")]
    assert len(told) > 20
    for fact in told:
        for line in fact["text"].split("\n"):
            assert line in text


def test_the_command_writes_the_same_page_again(hostile, tmp_path, capsys):
    assert main(["report", str(hostile), "-o", str(tmp_path / "again.html")]) == 0
    assert (tmp_path / "again.html").read_bytes() == (hostile / "report.html").read_bytes()
    assert main(["report", str(hostile), "-o", str(tmp_path / "again.html")]) == 2
    assert "exists and was not overwritten" in capsys.readouterr().err


def test_long_names_are_cut_in_tables_and_whole_on_hover(tmp_path):
    names = [f"In the past month, how often have you felt that difficulties were piling up, so high {k}" for k in "ab"]
    path = tmp_path / "edges.csv"
    write_csv(path, ("source", "target", "coupling"), [(*names, 0.5), ("short", names[1], -0.25)])
    (first, second, _), (short, again, _) = shown_table(read_table(path)).rows
    assert first.text != second.text == again.text and max(len(first.text), len(second.text)) <= 50
    assert [cell.whole for cell in (first, second, short, again)] == [*names, "", names[1]] and short.text == "short"
    write_csv(tmp_path / "excluded.csv", ("source", "reason"), [("a", 9 * "never occurs ")])
    assert shown_table(read_table(tmp_path / "excluded.csv")).rows[0][1].text == 9 * "never occurs "


def without_model(folder):
    (folder / "model.json").unlink()


def without_nodes(folder):
    (folder / "nodes.csv").unlink()


def with_a_torn_row(folder):
    with open(folder / "edges.csv", "a") as stream:
        stream.write("a,b\n")


def of_another_fit(folder):
    lines = (folder / "edges.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "edges.csv").write_text("".join(lines[:-1]), encoding="utf-8")


def with_too_few_groups(folder):
    document = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    document["fit"]["groups"].pop()
    (folder / "model.json").write_text(json.dumps(document), encoding="utf-8")


def without_a_column(folder):
    text = (folder / "edges.csv").read_text(encoding="utf-8")
    (folder / "edges.csv").write_text(text.replace("target", "aim", 1), encoding="utf-8")


def with_a_strange_step(folder):
    with open(folder / "path.csv", newline="", encoding="utf-8") as stream:
        head, *rows = csv.reader(stream)
    rows[1][head.index("source")] = "nobody"
    write_csv(folder / "path.csv", head, rows)


def with_another_sign(folder):
    document = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    document["couplings"][0] *= -1
    (folder / "model.json").write_text(json.dumps(document), encoding="utf-8")


def with_another_field(folder):
    columns, rows = read_csv(folder / "nodes.csv")
    rows[2][columns.index("field")] = "77"
    write_csv(folder / "nodes.csv", columns, rows)


def with_a_fit(name, value):
    def harm(folder):
        document = json.loads((folder / "model.json").read_text(encoding="utf-8"))
        document["fit"][name] = value
        (folder / "model.json").write_text(json.dumps(document), encoding="utf-8")

    return harm


def with_a_cell(file, column, text):
    def harm(folder):
        columns, rows = read_csv(folder / file)
        rows[1][columns.index(column)] = text
        write_csv(folder / file, columns, rows)

    return harm


def without_a_place(folder):
    document = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    del document["positions"]["plain"]
    (folder / "model.json").write_text(json.dumps(document), encoding="utf-8")


def with_a_place_far_off(folder):
    document = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    document["positions"]["plain"] = [1e308, 0.0]
    (folder / "model.json").write_text(json.dumps(document), encoding="utf-8")


def with_a_link_to_elsewhere(folder):
    (folder.parent / "secret.csv").write_text("source,target\n", encoding="utf-8")
    (folder / "blocked.csv").symlink_to(folder.parent / "secret.csv")


def with_a_picture_that_is_none(folder):
    (folder / "path.svg").write_text("root:x:0:0", encoding="utf-8")


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (without_model, r"has no model.json and no comparison.json; give a folder"),
        (without_nodes, r"has no nodes.csv"),
        (with_a_torn_row, r"edges.csv: row \d+ has 2 cells, the header has"),
        (of_another_fit, r"edges.csv has other edges than model.json"),
        (without_a_column, r"edges.csv has no column target; was it changed"),
        (with_a_strange_step, r"path.csv tells of a step that cannot be: add 'nobody' - "),
        (with_another_sign, r"edges.csv: the coupling of .* they must come from the same fit"),
        (with_another_field, r"nodes.csv: the field of .* is 77, and .* they must come from the same fit"),
        (with_a_link_to_elsewhere, r"blocked.csv is a link to a file outside the folder"),
        (with_a_picture_that_is_none, r"path.svg is not an SVG picture"),
        (without_a_place, r"no place for 1 variable of 6: plain"),
        (with_a_fit("title", 7), r"model.json: expected a text under 'title' of fit, got 7"),
        (with_a_fit("n_samples", "many"), r"model.json: expected a number under 'n_samples' of fit, got 'many'"),
        (with_a_fit("n_samples", True), r"model.json: expected a number under 'n_samples' of fit, got True"),
        (with_a_fit("warnings", "care"), r"model.json: expected a list of texts under 'warnings' of fit, got 'care'"),
        (with_a_fit("warnings", ["care", 1]), r"model.json: expected texts under 'warnings' of fit, got 1"),
        (
            with_a_fit("labels", [["no", "yes"]]),
            r"model.json: expected two texts for each of 6 variables",
        ),
        (with_a_fit("labels", [["no"]] * 6), r"model.json: expected two texts for each of 6 variables"),
        (
            with_a_cell("edges.csv", "frequency", "1.25"),
            r"edges.csv: row 2, column frequency: expected a number from",
        ),
        (
            with_a_cell("nodes.csv", "mean", "-1.5"),
            r"nodes.csv: row 2, column mean: expected a number from -1 to",
        ),
        (with_a_cell("edges.csv", "rows", "-3"), r"edges.csv: row 2, column rows: expected a number from 0, got '-3'"),
        (with_a_cell("edges.csv", "se", "-1"), r"edges.csv: row 2, column se: expected a number from 0, got '-1'"),
        (with_a_cell("edges.csv", "lower", "50"), r"row 2, column lower: expected at most the coupling, .*, got '50'"),
        (with_a_cell("edges.csv", "upper", "-inf"), r"row 2, column upper: expected at least the coupling, .*'-inf'"),
        (with_a_cell("edges.csv", "interval", "exact"), r"row 2, column interval: expected wald or profile, got 'exac"),
        (with_a_cell("nodes.csv", "field_upper", "-50"), r"column field_upper: expected at least the field, .*'-50'"),
        (with_a_cell("nodes.csv", "degree", "99"), r"row 2, column degree: expected \d, its edges in the model, got"),
        (with_a_fit("n_samples", -5), r"model.json: expected a number above 0 under 'n_samples' of fit, got -5"),
        (with_a_fit("log_likelihood", "x"), r"model.json: expected a number under 'log_likelihood' of fit, got 'x'"),
        (with_a_place_far_off, r"the position of 'plain' is so far off that all others would be a single dot"),
        (
            with_a_cell("edges.csv", "se", "small"),
            r"edges.csv: row 2, column se: expected a number from 0, got 'sma",
        ),
        (with_too_few_groups, r"groups must have one entry for each of the 6 variables, got 5"),
    ],
)
def test_a_damaged_folder_is_refused(hostile, tmp_path, harm, message):
    folder = shutil.copytree(hostile, tmp_path / "map")
    harm(folder)
    with pytest.raises((FileFormatError, ModelError), match=message):
        write_page(folder, tmp_path / "report.html")
    assert not (tmp_path / "report.html").exists()


def test_a_file_of_the_folder_is_told_from_the_folder(hostile, capsys):
    assert main(["report", str(hostile / "model.json")]) == 2
    assert f"model.json is a file; give the folder of results that it is in, {hostile}" in capsys.readouterr().err


def test_a_link_is_not_written_through(hostile, tmp_path):
    (tmp_path / "precious.txt").write_text("mine")
    (tmp_path / "report.html").symlink_to(tmp_path / "precious.txt")
    with pytest.raises(OutputExistsError, match="is a link and was not followed"):
        write_page(hostile, tmp_path / "report.html")
    assert (tmp_path / "precious.txt").read_text() == "mine"
    assert main(["report", str(hostile), "-o", str(tmp_path / "report.txt")]) == 2


@pytest.mark.parametrize(("unit", "offset"), [(1e308, 0.0), (5e-324, 0.0), (0.0, 0.0), (1e-320, 1.0)])
def test_places_in_any_unit_make_a_picture(hostile, tmp_path, unit, offset):
    folder = shutil.copytree(hostile, tmp_path / "map")
    document = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    for k, name in enumerate(document["positions"]):
        document["positions"][name] = [(-1) ** k * unit + offset, unit * (k % 3 > 0)]
    (folder / "model.json").write_text(json.dumps(document), encoding="utf-8")
    found = page_of(read_results(folder))
    assert (
        "nan" not in found.split('id="picture"')[1].split("</svg>")[0] and "inf" not in found.split("viewBox")[1][:60]
    )


@pytest.mark.parametrize(("file", "column"), [("edges.csv", "p_value"), ("missing.csv", "p_adjusted")])
def test_no_p_value_is_zero(file, column):
    table = Table(Path(file), ("other", column), [["a", "0.0"], ["b", "0.25"], ["c", ""]], b"")
    assert [row[1].text for row in shown_table(table).rows] == ["< 1e-300", "0.25", ""]


def test_numbers_are_short_and_large_ones_still_differ():
    texts = ["-51339.50130977061", "12345.0", "9999.96", "0.000012345", "-0.5", "1e22", "7", "inf", "-inf", ""]
    table = Table(Path("path.csv"), ("bic",), [[text] for text in texts], b"")
    found = shown_table(table)
    assert found.numeric == [True]  # an infinite end is a number, too, and the column is sorted as one
    shown = ["-51339.5", "12345", "10000", "1.234e-05", "-0.5", "1e+22", "7", "∞", "−∞", ""]
    assert [cell.text for (cell,) in found.rows] == shown
    assert [cell.value for (cell,) in found.rows] == [*texts[:7], "Infinity", "-Infinity", ""]


def test_the_report_goes_to_standard_output(hostile, capfdbinary):
    assert main(["report", str(hostile), "-o", "-"]) == 0
    written = capfdbinary.readouterr()
    assert written.out == (hostile / "report.html").read_bytes() and b"the report of" in written.err


def test_rows_in_another_order_make_the_same_tables(hostile, tmp_path):
    folder = shutil.copytree(hostile, tmp_path / "map")
    for name in ("edges.csv", "nodes.csv"):
        head, *rows = (folder / name).read_text(encoding="utf-8").splitlines(keepends=True)
        (folder / name).write_text("".join([head, *reversed(rows)]), encoding="utf-8")
    one, other = (page_of(read_results(place)).split("<section id=") for place in (hostile, folder))
    assert one[2:] == other[2:]  # without what is saved from it, the file as it is


def test_facts_of_older_versions_have_no_words(hostile, tmp_path):
    folder = shutil.copytree(hostile, tmp_path / "map")
    document = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    for fact in document["facts"]:
        del fact["text"]
    (folder / "model.json").write_text(json.dumps(document), encoding="utf-8")
    assert "<dt>rows</dt><dd><p>240.0</p></dd>" in page_of(read_results(folder))


PATH = Table(
    Path("path.csv"),
    ("action", "source", "target", "ebic"),
    [
        ["start", "", "", "9"],
        ["add", "b", "c", "7"],
        ["add", "a", "(field)", "6"],
        ["add", "a", "c", "5"],
        ["remove", "c", "b", "4"],
    ],
    b"",
)


def test_steps_are_told_from_the_end():
    model = IsingModel([[0, 1], [0, 2]], [0.1, 0.2], names=["a", "b", "c"])
    steps = steps_of(model, PATH)
    assert steps.first == [0]  # required, and in no step
    assert steps.pairs == [(0, 1), (0, 2), (1, 2)]
    assert steps.changes == [[], [3], [], [2], [-3]]
    assert steps_of(model, None).first == [0, 1]


def test_the_curve_is_that_of_the_criterion():
    curve = curve_of(PATH, "ebic")
    assert curve.name == "EBIC" and len(curve.points) == 5
    heights = np.array([y for _, y in curve.points])
    assert (np.diff(heights) > 0).all() and curve.y_ticks == [(curve.bottom, "4"), (curve.top, "9")]
    far = Table(PATH.place, ("ebic",), [["9999.7"], ["-10213.4"]], b"")
    assert [text for _, text in curve_of(far, "ebic").y_ticks] == ["-10,213", "10,000"]
    assert curve_of(PATH, "maximal") is None  # it has no column of its own here
    assert curve_of(Table(PATH.place, PATH.columns, PATH.rows[:1], b""), "ebic") is None
