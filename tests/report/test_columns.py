"""Every column has its line of meaning, and docs/formats.md says the same.

After a change of `isingmap.report.columns` run this file; it writes the tables of docs/formats.md again.
"""

from pathlib import Path

import pytest

from isingmap.report import check_results, comparison_results
from isingmap.report.columns import COLUMNS, meaning_of
from isingmap.report.results import result_names

FORMATS = Path(__file__).parents[2] / "docs" / "formats.md"
HEADING = "## Columns of the results\n"


def told():
    """The tables of docs/formats.md."""
    lines = []
    for file, columns in COLUMNS.items():
        lines += [f"### {file}", "", "| column | meaning | unit |", "|---|---|---|"]
        lines += [f"| {name} | {meaning.replace('|', chr(92) + '|')} | {unit} |" for name, meaning, unit, _ in columns]
        lines.append("")
    return "\n".join(lines)


def test_the_documentation_has_every_column():
    assert FORMATS.read_text().split(HEADING)[1].split("\n### ", 1)[1] == told().split("### ", 1)[1]


def test_every_file_that_is_written_is_explained():
    written = {*result_names(), *check_results.FILES, *comparison_results.FILES, *comparison_results.GROUP_FILES}
    assert set(COLUMNS) == {name for name in written if name.endswith(".csv")}


@pytest.mark.parametrize("file", COLUMNS)
def test_a_line_is_a_line_and_no_heading_comes_twice(file):
    names = [column.name for column in COLUMNS[file]]
    assert len(set(names)) == len(names)
    for name, meaning, unit, _ in COLUMNS[file]:
        assert name and 3 < len(meaning) < 110 and "\n" not in meaning + unit and not meaning.endswith(".")


def test_meanings_have_their_unit_and_strangers_none():
    assert meaning_of("edges.csv", "loss").endswith("refitted (nats)")
    assert meaning_of("nodes.csv", "degree") == "number of edges at the variable"
    assert meaning_of("nodes.csv", "shoe size") == meaning_of("other.csv", "coupling") == ""


if __name__ == "__main__":
    before = FORMATS.read_text().split(HEADING)[0]
    introduction = FORMATS.read_text().split(HEADING)[1].split("\n### ", 1)[0]
    FORMATS.write_text(f"{before}{HEADING}{introduction}\n{told()}")
