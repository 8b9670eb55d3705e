"""The page of three groups or more, and tables that it is not made of."""

import pytest
from elements import Elements

from hostile_names import GROUPS
from isingmap.errors import FileFormatError
from isingmap.files.csv_file import read_csv, write_csv
from isingmap.report.columns import names_in
from isingmap.report.page.page import write_page


@pytest.fixture
def folder(tmp_path):
    labels, folders = (*GROUPS, "=third"), ("one", "two", "\u7761\u7720")
    groups = [(*pair, 50.0, 1, 6, 0.25, -100.0) for pair in zip(labels, folders, strict=True)]
    tests = (19, 0.5, 0.25, 0.75, 0.1, 0.5, 1.0, 3.0, 0.05, 0.15)
    pairs = [(labels[i], labels[j], f"compare-{i}-{j}", *tests) for i, j in ((0, 1), (0, 2), (1, 2))]
    write_csv(tmp_path / "groups.csv", names_in("groups.csv"), groups)
    write_csv(tmp_path / "comparisons.csv", names_in("comparisons.csv"), pairs)
    for name in (*folders, *(pair[2] for pair in pairs)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "report.html").touch()
    return tmp_path


def test_groups_and_pairs_are_links_and_names_are_text(folder):
    write_page(folder, folder / "report.html")
    page = Elements((folder / "report.html").read_text(encoding="utf-8"))
    tags = [tag for tag, _ in page.elements]
    assert not {"img", "i"} & set(tags) and tags.count("script") == 3
    links = [a["href"] for tag, a in page.elements if tag == "a" and a["href"].endswith("/report.html")]
    assert links[:3] == ["one/report.html", "two/report.html", "%E7%9D%A1%E7%9C%A0/report.html"] and len(links) == 6
    words = "".join(page.texts["li"])
    one, other = GROUPS
    pairs = [f"{one} and {other}", f"{one} and =third", f"{other} and =third"]
    assert [text for text in page.texts["a"] if " and " in text] == pairs and not any(pair in words for pair in pairs)
    assert "50 rows, 1 edge, 6 fields, global strength 0.250; in one" in words
    assert words.count("structure p = 0.25 (Holm 0.75), strength p = 0.5 (Holm 1), likelihood ratio p = 0.05") == 3
    assert set(page.texts["th"]) == {*names_in("groups.csv"), *names_in("comparisons.csv")}


def test_a_page_that_is_not_there_is_named(folder):
    (folder / "two" / "report.html").unlink()
    assert write_page(folder, folder / "report.html") == ["two/report.html"]
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert 'href="two/report.html"' not in page and "(its page two/report.html is not there)" in page


def test_elsewhere_there_are_no_links(folder, tmp_path_factory):
    place = tmp_path_factory.mktemp("elsewhere") / "page.html"
    write_page(folder, place)
    assert "/report.html" not in place.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "column", "text", "message"),
    [
        ("groups.csv", "folder", "../../etc", "groups.csv: row 1 names no folder beside it, but '../../etc'"),
        ("comparisons.csv", "folder", "javascript:1", "comparisons.csv: row 1 names no folder beside it"),
        ("comparisons.csv", "strength_p", "2", "row 1, column strength_p: expected a number from 0 to 1, got '2'"),
        ("groups.csv", "edges", "", "row 1, column edges: expected a number, got ''"),
    ],
)
def test_what_cannot_be_is_named(folder, file, column, text, message):
    columns, rows = read_csv(folder / file)
    rows[0][columns.index(column)] = text
    write_csv(folder / file, columns, rows)
    with pytest.raises(FileFormatError, match=message):
        write_page(folder, folder / "report.html")


def test_both_tables_are_needed(folder):
    (folder / "comparisons.csv").unlink()
    with pytest.raises(FileFormatError, match="has no comparisons.csv; the report is made of"):
        write_page(folder, folder / "report.html")
