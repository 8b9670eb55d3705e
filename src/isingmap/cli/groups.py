"""What compare and fit --split-by have in common: groups of rows to maps, tests and folders."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from isingmap.cli import fit
from isingmap.cli.exit_codes import INTERRUPTED, SUCCESS
from isingmap.cli.learning import estimator, graph_of, places_of
from isingmap.cli.wording import well_formed
from isingmap.comparing.compare import compare_all
from isingmap.comparing.groups import Group, numbered_together, split
from isingmap.io.csv_table import read_row_labels
from isingmap.printable import printable
from isingmap.report.comparison_results import write_comparison, write_groups
from isingmap.report.text import distinct
from isingmap.resampling.options import COMPARING, ComparisonOptions


def groups_of_tables(arguments: Namespace) -> tuple[list[Group], tuple[str, str] | None]:
    """The groups in two files, and the calls that read them in Python."""
    paths, clusters = (arguments.first, arguments.second), None
    if arguments.cluster_column is not None:
        clusters = numbered_together(
            [_labels(path, arguments.cluster_column, "cluster_column", arguments) for path in paths]
        )
    read = [fit.read_rows(Namespace(**{**vars(arguments), "table": path})) for path in paths]
    arguments.positive = fit.positive_labels(arguments.positive)  # as both were read
    groups = [
        Group(label, replace(table, clusters=None)) for label, (table, _) in zip(_called(paths), read, strict=True)
    ]
    if clusters is not None:
        groups = [replace(group, clusters=each) for group, each in zip(groups, clusters, strict=True)]
    module, calls = read[0][1][0], ", ".join(call for _, (_, call) in read)
    return groups, None if clusters is not None else (module, calls)  # a table that was read has lost their labels


def _called(paths: Sequence[str]) -> list[str]:
    """The groups are called like their files, with folders only where they need them."""
    for names in ([Path(path).stem for path in paths], paths):
        if len(set(names)) == len(paths):
            return [well_formed(name) for name in names]
    return distinct(map(well_formed, paths), 10**6)


def groups_of_rows(arguments: Namespace) -> list[Group]:
    """The groups in one file, those that are too small left out with a warning."""
    labels = _labels(arguments.table, arguments.split_by, "split_by", arguments)
    arguments.id_column = [*arguments.id_column, arguments.split_by]
    table, _ = fit.read_rows(arguments)
    return split(table, labels, arguments.split_by)


def _labels(path: str, column: str, setting: str, arguments: Namespace) -> list[str]:
    return read_row_labels(
        path, column, setting=setting, separator=arguments.separator, header_lines=arguments.header_lines
    )


def compare_and_write(
    groups: Sequence[Group], arguments: Namespace, *, title: str, source: tuple[str, str] | None
) -> int:
    """Learn from each group, compare all pairs, write all results and say where; returns the exit code."""
    given = {setting.name: getattr(arguments, setting.name) for setting in COMPARING}
    options = ComparisonOptions(**{name: value for name, value in given.items() if value is not None})
    names = groups[0].table.names
    places = places_of(names, arguments)
    graph, notes = graph_of(names, arguments)
    groups = [replace(group, table=group.table.with_notes(*notes)) for group in groups]
    settings = estimator(arguments, missing=arguments.missing, graph=graph).get_params()
    maps, found = compare_all(groups, settings, options)
    how = {
        "title": title if arguments.title is None else arguments.title,
        "command": arguments.command_line,
        "warnings": arguments.warnings,
        "layout": arguments.layout,
        "places": places,
        "force": arguments.force,
    }
    if len(groups) == 2:
        folder = write_comparison(found[0], arguments.output, source=source, **how)
    else:
        folder = write_groups([group.label for group in groups], maps, found, arguments.output, **how)
    n_pairs = len(groups) * (len(groups) - 1) // 2
    interrupted = found[-1].interrupted or len(found) < n_pairs
    if interrupted:
        _tell_interrupted(found[-1].n_permutations, options.n_permutations, len(found), n_pairs, folder, arguments)
    if not arguments.quiet:
        print((folder / "summary.txt").read_text(encoding="utf-8"))
        print(f"Written to {printable(folder)}: {', '.join(sorted(path.name for path in folder.iterdir()))}")
    return INTERRUPTED if interrupted else SUCCESS


def _tell_interrupted(
    n_done: int, n_wanted: int, n_found: int, n_pairs: int, folder: Path, arguments: Namespace
) -> None:
    which = f" of comparison {n_found:,} of {n_pairs:,}" if n_pairs > 1 else ""
    where = printable(folder)
    print(f"interrupted: the tests by {n_done:,} of {n_wanted:,} permutations{which} are in {where}", file=sys.stderr)
    if arguments.checkpoint is not None:
        print(f"{printable(arguments.checkpoint)} has them too, and the same command goes on", file=sys.stderr)
