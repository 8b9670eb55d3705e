"""The page of a comparison without a browser: what is in the file, and folders that it is not made of."""

import json
import shutil
from xml.etree import ElementTree as xml

import numpy as np
import pytest
from elements import Elements

from hostile_names import GROUPS, NAMES
from isingmap.cli.main import main
from isingmap.errors import FileFormatError, ModelError
from isingmap.files.csv_file import read_csv, write_csv
from isingmap.report.map_figure import shown_names
from isingmap.report.page import comparison_page
from isingmap.report.page.comparison_folder import read_comparison
from isingmap.report.page.comparison_page import page_of, verdicts_of
from isingmap.report.page.difference_picture import IN_BOTH, ONLY_FIRST, ONLY_SECOND, owners_of, views_of
from isingmap.report.page.page import write_page
from isingmap.report.page.rendering import SCRIPTS


def numbers_of(folder):
    """Both couplings and p-values of each pair, by its two names."""
    columns, rows = read_csv(folder / "differences.csv")
    wanted = [columns.index(name) for name in ("coupling_first", "coupling_second", "p_value", "p_holm")]
    return {tuple(row[:2]): [float(row[k]) for k in wanted] for row in rows}


@pytest.fixture(scope="module")
def page(compared):
    return Elements((compared / "report.html").read_text(encoding="utf-8"))


def test_everything_is_there_without_a_script(page, compared):
    edges = {pair: numbers for pair, numbers in numbers_of(compared).items() if any(numbers[:2])}
    assert page.count("line", "data-edge") == len(edges) > 2
    assert page.count("g", "data-node") == page.count("text", "data-label") == len(NAMES)
    values = {attributes.get("data-value") for _, attributes in page.elements} | set(page.texts["td"])
    assert {repr(number) for numbers in edges.values() for number in numbers if number % 1} <= values
    headings = {attributes["data-column"]: attributes.get("title") for tag, attributes in page.elements if tag == "th"}
    assert all(headings.values()) and {"coupling_first", "p_holm", "mean_second"} <= set(headings)
    shown = "".join(page.texts["li"] + page.texts["p"])
    assert "240 rows" in shown and "200 rows" in shown and "19 of rows (seed 0)" in shown
    assert "+1 is 1, -1 is 0, in every column" in shown and f"group {GROUPS[0]!r}: <i>beware</i>" in shown


def test_nothing_of_a_name_runs_and_links_stay_in_the_folder(page, compared):
    tags = [tag for tag, _ in page.elements]
    assert tags.count("script") == len(SCRIPTS) + 2 and not {"i", "img"} & set(tags)
    assert not any(name.startswith("on") for _, attributes in page.elements for name in attributes)
    addresses = [a.get("href") for _, a in page.elements if a.get("href", "#")[0] != "#"]
    inside = [address for address in addresses if not address.startswith("data:")]
    assert len(inside) == 2 and all((compared / address).is_file() for address in inside)
    assert [text for text in page.texts["a"] if text in GROUPS] == list(GROUPS)


def test_the_command_writes_the_same_page_again_and_elsewhere_without_links(compared, tmp_path):
    folder = shutil.copytree(compared, tmp_path / "both")
    (folder / "report.html").unlink()
    assert main(["report", str(folder)]) == 0
    assert (folder / "report.html").read_bytes() == (compared / "report.html").read_bytes()
    assert main(["report", str(folder), "-o", str(tmp_path / "for-mary.html")]) == 0
    elsewhere = Elements((tmp_path / "for-mary.html").read_text(encoding="utf-8"))
    assert all(a["href"].startswith(("#", "data:")) for _, a in elsewhere.elements if "href" in a)


def test_links_lead_only_to_what_is_there_and_what_is_not_is_named(compared, tmp_path, capsys):
    folder = shutil.copytree(compared, tmp_path / "both")
    there, gone = json.loads((folder / "comparison.json").read_text(encoding="utf-8"))["folders"]
    shutil.move(folder / gone, folder / "elsewhere")
    assert main(["report", str(folder)]) == 0
    assert f"{gone}/report.html is not there" in capsys.readouterr().err
    page = Elements((folder / "report.html").read_text(encoding="utf-8"))
    leading = [a["href"] for tag, a in page.elements if tag == "a" and a["href"].endswith("report.html")]
    assert len(leading) == 1 and (folder / leading[0]).is_file()
    assert f"(its page {gone}/report.html is not there)" in "".join(page.texts["li"])
    assert any("dead where it was sent alone" in text for text in page.texts["p"])


def test_a_folder_of_an_older_version_has_a_page(compared, tmp_path):
    folder = shutil.copytree(compared, tmp_path / "both")
    (folder / "variables.csv").unlink()
    document = json.loads((folder / "comparison.json").read_text(encoding="utf-8"))
    del document["folders"], document["positions"]
    (folder / "comparison.json").write_text(json.dumps(document), encoding="utf-8")
    renamed(folder, NAMES, [f"{k}.50" for k in range(len(NAMES))])  # names, though they look like numbers
    write_page(folder, folder / "report.html")
    old = Elements((folder / "report.html").read_text(encoding="utf-8"))
    assert old.count("g", "data-node") == len(NAMES)
    assert old.texts["td"].count("5.50") > 1 and "5.5" not in old.texts["td"]


def renamed(folder, names, others):
    columns, rows = read_csv(folder / "differences.csv")
    other = dict(zip(names, others, strict=True))
    write_csv(folder / "differences.csv", columns, [[*(other[name] for name in row[:2]), *row[2:]] for row in rows])


def test_edges_are_told_by_the_maps_that_have_them(compared):
    found, numbers = read_comparison(compared), numbers_of(compared)
    names = found.differences.edge_names
    both = [numbers.get(pair, numbers.get(pair[::-1])) for pair in names]
    expected = [IN_BOTH if one and two else ONLY_FIRST if one else ONLY_SECOND for one, two, *_ in both]
    assert owners_of(found).tolist() == expected and len(set(expected)) > 1
    by_owner, by_sign, first, second = views_of(found)
    looks = {owner: (look[0], look[2]) for owner, look in zip(expected, by_owner.looks, strict=True)}
    assert len({colour for colour, _ in looks.values()}) == len({dashes for _, dashes in looks.values()}) == len(looks)
    widths = np.array([look[1] for look in by_owner.looks])
    order = np.argsort(np.abs(found.differences.couplings))
    assert (np.diff(widths[order]) >= 0).all() and widths.max() == pytest.approx(3.6)
    for k, view in enumerate((first, second)):
        assert [look is not None for look in view.looks] == [bool(couplings[k]) for couplings in both]
    assert len({look[0] for look in by_sign.looks}) == len(set(np.sign(found.differences.couplings)))


def test_the_order_of_rows_does_not_matter(judged, tmp_path):
    folder = shutil.copytree(judged, tmp_path / "both")
    columns, rows = read_csv(folder / "differences.csv")
    write_csv(folder / "differences.csv", columns, rows[::-1])  # pairs without an edge come first
    told = []
    for place in (judged, folder):
        found = read_comparison(place)
        numbers = np.column_stack([found.couplings, found.p_values, found.holm, owners_of(found)])
        told.append(dict(zip(map(frozenset, found.differences.edge_names), numbers.tolist(), strict=True)))
    assert told[0] == told[1]


def test_legends_say_whose_the_edges_are(compared):
    found = read_comparison(compared)
    by_owner, by_sign, first, second = views_of(found)
    labels = shown_names(GROUPS)
    looks = {row.text: (row.colour, row.dashes) for view in (by_owner, by_sign) for row in view.legend}
    difference = found.couplings[:, 1] - found.couplings[:, 0]
    assert found.differences.couplings.tolist() == difference.tolist()
    for k, owner in enumerate(owners_of(found).tolist()):
        words = [f"an edge in {label} only" for label in labels]
        colour, _, dashes = by_owner.looks[k]
        assert looks[[*words, "an edge in both"][owner]] == (colour, dashes)
        colour, _, dashes = by_sign.looks[k]
        assert looks[f"more positive in {labels[int(difference[k] > 0)]}"] == (colour, dashes)
    assert [first.name, second.name] == [f"the map of {label}" for label in labels]


def test_what_is_unsure_is_pale_and_what_is_sure_has_a_star(judged):
    page = Elements((judged / "report.html").read_text(encoding="utf-8"))
    numbers = list(numbers_of(judged).values())[
        : page.count("line", "data-edge")
    ]  # those that differ most surely first
    lines = {int(a["data-edge"]): a for tag, a in page.elements if tag == "line" and "data-edge" in a}
    stars = [int(a["data-star"]) for tag, a in page.elements if "data-star" in a]
    assert [k for k in range(len(lines)) if "stroke-opacity" not in lines[k]] == [0, 1, 3]
    assert sorted(stars) == [0, 3] and len(numbers) == len(lines) > 4
    titles = [text for text in page.texts["title"] if ", p = " in text]
    for first, second, p_value, _ in numbers:
        shown = (
            f"{label} {value:+.3f}" if value else f"{label} no edge"
            for label, value in zip(GROUPS, (first, second), strict=True)
        )
        words = ": " + ", ".join(shown) + f", p = {p_value:.3g}"
        assert sum(text.endswith(words) for text in titles) == 1
    legend = page.texts["span"]
    assert legend.count("pale: p \u2265 0.05") == legend.count("p < 0.05, corrected (Holm)") == 2


def edited(folder, change):
    """The folder with another comparison.json."""
    document = json.loads((folder / "comparison.json").read_text(encoding="utf-8"))
    change(document)
    (folder / "comparison.json").write_text(json.dumps(document), encoding="utf-8")


def test_of(document, label):
    return next(fact for fact in document["facts"] if fact["label"] == label)["value"]


test_of.__test__ = False


@pytest.mark.parametrize(
    ("p_value", "n_permutations", "words"),
    [
        (0.01, 99, "more than chance makes (p = 0.01)"),
        (0.323, 99, "chance may make as much (p = 0.323)"),
        (0.3, 9, "chance may make as much (p = 0.3)"),
        (0.1, 9, "p = 0.1, the least that 9 permutations can show; take 20 or more"),
    ],
)
def test_tests_in_words(compared, tmp_path, p_value, n_permutations, words):
    def change(document):
        test_of(document, "structure")["p_value"] = p_value
        test_of(document, "global strength")["value"] = 999.7
        next(fact for fact in document["facts"] if fact["label"] == "permutations")["value"] = n_permutations

    folder = shutil.copytree(compared, tmp_path / "both")
    edited(folder, change)
    structure, strength, ratio = verdicts_of(read_comparison(folder))
    assert structure.startswith("Structure: the coupling that differs most, ") and structure.endswith(words)
    assert strength.startswith("Global strength: the sums of |couplings| differ by 1,000;")
    assert ratio.startswith("One map or two")


def test_pairs_left_out_are_told_even_where_no_map_has_them(compared, tmp_path):
    folder = shutil.copytree(compared, tmp_path / "both")
    columns, rows = read_csv(folder / "differences.csv")
    k = next(k for k, row in enumerate(rows) if float(row[2]) == float(row[3]) == 0)
    rows[k][columns.index("left_out_of")] = "; ".join(GROUPS)
    write_csv(folder / "differences.csv", columns, rows)
    edge = next(k for k, row in enumerate(rows) if float(row[2]))
    rows[edge][columns.index("left_out_of")] = GROUPS[0]  # an edge of a map has its row already
    write_csv(folder / "differences.csv", columns, rows)
    apart = page_of(read_comparison(folder)).split("Pairs that a search had to leave out")[-1].split("</table>")[0]
    cells = Elements(apart).texts["td"]
    assert apart.count("<tr>") == 2 and cells[-1] == "; ".join(GROUPS)  # the heading, and the pair that no map has


def with_a_cell(column, text, file="differences.csv", row=0):
    def harm(folder):
        columns, rows = read_csv(folder / file)
        rows[row][columns.index(column)] = text
        write_csv(folder / file, columns, rows)

    return harm


def with_an_entry(name, value):
    return lambda folder: edited(folder, lambda document: document.update({name: value}))


def with_a_test(value):
    return lambda folder: edited(folder, lambda document: test_of(document, "structure").update(p_value=value))


def with_another_largest_difference(folder):
    edited(folder, lambda document: test_of(document, "structure").update(value=77))


def without(name):
    return lambda folder: (folder / name).unlink()


def with_a_pair_twice(folder):
    columns, rows = read_csv(folder / "differences.csv")
    rows[1][:2] = rows[0][1::-1]
    write_csv(folder / "differences.csv", columns, rows)


def with_a_variable_twice(folder):
    columns, rows = read_csv(folder / "variables.csv")
    write_csv(folder / "variables.csv", columns, [*rows, rows[-1]])


def with_a_link_to_elsewhere(folder):
    shutil.move(folder / "variables.csv", folder.parent / "variables.csv")
    (folder / "variables.csv").symlink_to(folder.parent / "variables.csv")


def with_a_place_less(folder):
    edited(folder, lambda document: document["positions"].pop("plain"))


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (without("comparison.json"), "has no model.json and no comparison.json; give a folder of results"),
        (without("differences.csv"), "has no differences.csv; the report is made of it"),
        (with_a_link_to_elsewhere, "variables.csv is a link to a file outside the folder"),
        (with_a_pair_twice, "differences.csv: row 2, column target: expected another pair"),
        (with_a_place_less, "no place for 1 variable of 6: plain"),
        (with_a_cell("p_value", "1.5"), "row 1, column p_value: expected a number from 0 to 1, got '1.5'"),
        (with_a_cell("p_holm", ""), "row 1, column p_holm: expected a number, got ''"),
        (with_a_cell("coupling_first", "strong"), "row 1, column coupling_first: expected a number, got 'strong'"),
        (with_a_cell("difference", "77"), "row 1, column difference: expected coupling_second - coupling_first = "),
        (with_a_cell("source", "nobody"), "row 1, column source: expected a variable of variables.csv, got 'nobody'"),
        (with_a_cell("mean_first", "-1.2", "variables.csv", 2), "row 3, column mean_first: expected a number from -1"),
        (with_a_variable_twice, "variables.csv: .*plain"),
        (with_an_entry("groups", ["a"]), 'expected the names of two groups under "groups", got'),
        (with_an_entry("title", 7), 'expected a text under "title", got 7'),
        (with_an_entry("facts", {}), 'expected a list of objects under "facts"'),
        (with_an_entry("folders", ["a", "javascript:alert(1)"]), 'expected the names of two folders under "folders"'),
        (with_an_entry("folders", ["a", "../../b"]), 'expected the names of two folders under "folders"'),
        (with_an_entry("folders", ["a", "a"]), 'expected two different folders under "folders"'),
        (with_an_entry("positions", {"plain": [0]}), "the position of 'plain' must be two numbers"),
        (
            with_another_largest_difference,
            "77 was tested by comparison.json beside it; they must come from",
        ),
        (with_a_test("small"), "expected a number as 'p_value' of the test 'structure', got 'small'"),
        (with_a_test(-1), "expected a number as 'p_value' of the test 'structure', got -1"),
    ],
)
def test_a_damaged_folder_is_refused(compared, tmp_path, harm, message):
    folder = shutil.copytree(compared, tmp_path / "both")
    harm(folder)
    with pytest.raises((FileFormatError, ModelError), match=message):
        write_page(folder, tmp_path / "report.html")
    assert not (tmp_path / "report.html").exists()


def test_a_large_table_is_not_in_the_page_but_in_the_folder(compared, monkeypatch):
    monkeypatch.setattr(comparison_page, "MOST_SAVED", 500)
    found = page_of(read_comparison(compared))
    assert "(differences.csv is large, and in the folder alone)" in found and 'download="differences.csv"' not in found


def test_groups_without_an_edge_have_a_page(compared, tmp_path):
    folder = shutil.copytree(compared, tmp_path / "both")
    columns, rows = read_csv(folder / "differences.csv")
    for row in rows:
        row[2:5] = ["0.0", "0.0", "0.0"]
    write_csv(folder / "differences.csv", columns, rows)
    edited(folder, lambda document: test_of(document, "structure").update(value=0))
    found = page_of(read_comparison(folder))
    assert "no difference to draw" in found and "<line data-edge" not in found
    picture = found[found.index("<svg id=") : found.index("</svg>") + 6]
    assert len(xml.fromstring(picture).findall(".//{*}g[@data-node]")) == len(NAMES)
