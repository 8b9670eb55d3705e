"""The files of a goodness-of-fit check."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from isingmap.checking.goodness import GoodnessOfFit
from isingmap.files.csv_file import Cell, write_csv
from isingmap.files.strict_json import write_json
from isingmap.files.whole_folder import check_folder, finished_folder
from isingmap.interruption import listening, undisturbed
from isingmap.report.check_facts import check_facts, worst_triples
from isingmap.report.check_figure import check_figure
from isingmap.report.columns import names_in
from isingmap.report.facts import as_text
from isingmap.report.plots import write_figure
from isingmap.report.tables import MISS_COLUMNS, miss_rows

FILES = ("check.txt", "check.json", "pairs.csv", "counts.csv", "triples.csv", "check.svg", "check.png")
COUNT_COLUMNS = names_in("counts.csv")
TRIPLE_COLUMNS = names_in("triples.csv")
# Of those missed most.
MOST_TRIPLES = 1000


def check_text(check: GoodnessOfFit, title: str = "") -> str:
    """What there is to say, for the screen."""
    return as_text("Goodness of fit", title, list(check_facts(check)))


@listening()
def write_check(
    check: GoodnessOfFit, folder: str | os.PathLike, *, title: str | None = None, force: bool = False
) -> Path:
    """Write the files of a check into a folder that appears when it is complete.

    Raises
    ------
    OutputExistsError
        If the folder is not empty (unless `force`), or is a file.
    """
    check_folder(folder, force=force)
    with undisturbed(), finished_folder(folder, FILES) as made:
        (made / "check.txt").write_text(check_text(check, title or ""), encoding="utf-8")
        write_json(made / "check.json", {"facts": [fact.record for fact in check_facts(check)]})
        write_csv(made / "pairs.csv", MISS_COLUMNS, miss_rows(check.model.names, check.misses))
        write_csv(made / "counts.csv", COUNT_COLUMNS, count_rows(check))
        write_csv(made / "triples.csv", TRIPLE_COLUMNS, triple_rows(check))
        write_figure([made / "check.svg", made / "check.png"], lambda: check_figure(check, title))
    return Path(folder)


def count_rows(check: GoodnessOfFit) -> list[tuple[Cell, ...]]:
    """Rows of `COUNT_COLUMNS`."""
    found = check.counts
    columns = np.column_stack([found.data, found.expected, found.lower, found.upper])
    return [(k, *row) for k, row in enumerate(columns.tolist())]


def triple_rows(check: GoodnessOfFit) -> list[tuple[Cell, ...]]:
    """Rows of `TRIPLE_COLUMNS`: those missed most first, at most 1000."""
    found, names = check.triples, np.array(check.model.names, dtype=object)
    return [
        (*names[found.spins[k]], float(found.data[k]), float(found.expected[k]), float(found.z[k]))
        for k in worst_triples(check)[:MOST_TRIPLES]
    ]
