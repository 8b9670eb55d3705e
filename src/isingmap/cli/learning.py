"""What fit, voteview and demo have in common: learn from a table, write the folder, print the summary."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

from isingmap.cli.exit_codes import INTERRUPTED, SUCCESS
from isingmap.data.table import SpinTable
from isingmap.learning.learned_map import check_places
from isingmap.learning.planar_ising import PlanarIsing
from isingmap.report.results import result_names, write_results
from isingmap.report.saved_map import read_positions
from isingmap.report.text import printable
from isingmap.structure.options import OPTIONS


def learn_and_write(
    table: SpinTable, arguments: Namespace, *, missing: str, title: str, source: tuple[str, str] | None = None
) -> int:
    """Fit the table with the options given, write all results and say where; returns the exit code."""
    given = {o.python: getattr(arguments, o.name) for o in OPTIONS if o.python and hasattr(arguments, o.name)}
    places = _places(table, arguments)
    verbose = not arguments.quiet and sys.stderr.isatty()
    learned = PlanarIsing(**(given | {"missing": missing, "verbose": verbose})).fit(table).learned_
    folder = write_results(
        learned.described(warnings=arguments.warnings, source=source),
        arguments.output,
        title=title if arguments.title is None else arguments.title,
        command=arguments.command_line,
        layout=arguments.layout,
        places=places,
        force=arguments.force,
    )
    if learned.interrupted:
        print(f"interrupted: the model found so far is in {printable(folder)}", file=sys.stderr)
    if not arguments.quiet:
        print((folder / "summary.txt").read_text(encoding="utf-8"))
        print(f"Written to {printable(folder)}: {', '.join(_file_names(folder))}")
    return INTERRUPTED if learned.interrupted else SUCCESS


def source_of(function, *paths: str, **options: object) -> tuple[str, str]:
    """The module of a function that reads data, and the call with those options that were given."""
    texts = [repr(path) for path in paths]
    texts += [
        f"{name}={value!r}"
        for name, value in options.items()
        if value is not None and value is not False and value != []
    ]
    return function.__module__, f"{function.__name__}({', '.join(texts)})"


def _places(table: SpinTable, arguments: Namespace):
    """Places of the variables, if a file of them was given; looked at before the work."""
    if arguments.places is None:
        return None
    places = read_positions(arguments.places)
    if arguments.constant != "drop":  # which may still leave out variables that have no place
        check_places(places, table.names)
    return places


def _file_names(folder: Path) -> list[str]:
    return [name for name in result_names() if (folder / name).exists()]
