"""What compare and fit --split-by have in common: groups of rows to maps, tests and folders."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from isingmap.cli.exit_codes import INTERRUPTED, SUCCESS
from isingmap.cli.learning import estimator, graph_of, places_of
from isingmap.comparing.compare import compare_all
from isingmap.comparing.comparison import Comparison
from isingmap.comparing.groups import Group
from isingmap.io.csv_table import read_row_labels
from isingmap.printable import printable
from isingmap.report.comparison_results import names_of_results, write_comparison, write_groups
from isingmap.resampling.options import COMPARING, ComparisonOptions


def row_labels(path: str, column: str, setting: str, arguments: Namespace) -> list[str]:
    """The cells of a column that is no variable, one for each row of the table that is read."""
    return read_row_labels(
        path, column, setting=setting, separator=arguments.separator, header_lines=arguments.header_lines
    )


def compare_and_write(
    groups: Sequence[Group], arguments: Namespace, *, title: str, sources: Sequence[tuple[str, str]] = ()
) -> int:
    """Learn from each group, compare all pairs, write all results and say where; returns the exit code.

    `sources` are the module and the call that read each group in Python, where they can be typed.
    """
    given = {setting.name: getattr(arguments, setting.name) for setting in COMPARING}
    options = ComparisonOptions(**{name: value for name, value in given.items() if value is not None})
    names = groups[0].table.names
    places = places_of(names, arguments)
    graph, notes = graph_of(names, arguments)
    groups = [replace(group, table=group.table.with_notes(*notes)) for group in groups]
    settings = estimator(arguments, missing=arguments.missing, graph=graph).get_params()
    maps, found = compare_all(groups, settings, options)
    found = [_with_sources(one, groups, sources) for one in found] if sources else found
    how = {
        "title": title if arguments.title is None else arguments.title,
        "command": arguments.command_line,
        "warnings": arguments.warnings,
        "layout": arguments.layout,
        "places": places,
        "force": arguments.force,
    }
    if len(groups) == 2:
        source = (sources[0][0], ", ".join(call for _, call in sources)) if sources else None
        folder = write_comparison(found[0], arguments.output, source=source, **how)
    else:
        folder = write_groups([group.label for group in groups], maps, found, arguments.output, **how)
    n_pairs = len(groups) * (len(groups) - 1) // 2
    interrupted = found[-1].interrupted or len(found) < n_pairs
    if interrupted:
        _tell_interrupted(found[-1].n_permutations, options.n_permutations, len(found), n_pairs, folder, arguments)
    if not arguments.quiet:
        print((folder / "summary.txt").read_text(encoding="utf-8"))
        written = [name for name in names_of_results([group.label for group in groups]) if (folder / name).exists()]
        print(f"Written to {printable(folder)}: {', '.join(written)}")
    return INTERRUPTED if interrupted else SUCCESS


def _with_sources(found: Comparison, groups: Sequence[Group], sources: Sequence[tuple[str, str]]) -> Comparison:
    """The comparison of two groups whose maps say how they are learned from their file alone, where that is so."""
    first, second = (
        learned.described(source=source) if learned.model.names == group.table.names else learned
        for learned, group, source in zip(found.maps, groups, sources, strict=True)
    )
    return replace(found, maps=(first, second))


def _tell_interrupted(
    n_done: int, n_wanted: int, n_found: int, n_pairs: int, folder: Path, arguments: Namespace
) -> None:
    which = f" of comparison {n_found:,} of {n_pairs:,}" if n_pairs > 1 else ""
    where = printable(folder)
    print(f"interrupted: the tests by {n_done:,} of {n_wanted:,} permutations{which} are in {where}", file=sys.stderr)
    if arguments.checkpoint is not None:
        print(f"{printable(arguments.checkpoint)} has them too, and the same command goes on", file=sys.stderr)
