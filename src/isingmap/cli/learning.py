"""What fit, voteview and demo have in common: learn from a table, write the folder, print the summary."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

from isingmap.cli.exit_codes import INTERRUPTED, SUCCESS
from isingmap.data.table import SpinTable
from isingmap.estimators import PlanarIsing
from isingmap.report.output import RESULT_FILES, write_results
from isingmap.report.text import printable


def learn_and_write(table: SpinTable, arguments: Namespace, *, missing: str, title: str) -> int:
    """Fit the table with the options given, write all results and say where; returns the exit code."""
    estimator = PlanarIsing(
        family=arguments.family,
        criterion=arguments.criterion,
        search=arguments.search,
        gamma=arguments.gamma,
        min_gain=arguments.min_gain,
        n_edges=arguments.n_edges,
        prior=arguments.prior,
        missing=missing,
        constant=arguments.constant,
        n_restarts=arguments.restarts,
        random_state=arguments.seed,
        checkpoint=arguments.checkpoint,
        verbose=not arguments.quiet and sys.stderr.isatty(),
    ).fit(table)
    folder = write_results(
        estimator,
        arguments.output,
        groups=_groups_of(table, estimator.model_.names),
        title=title,
        command=arguments.command_line,
        layout=arguments.layout,
        force=arguments.force,
    )
    interrupted = estimator.result_.stopped.startswith("interrupted")
    if interrupted:
        print(f"interrupted: the model found so far is in {printable(folder)}", file=sys.stderr)
    if not arguments.quiet:
        print((folder / "summary.txt").read_text(encoding="utf-8"))
        print(f"Written to {printable(folder)}: {', '.join(_file_names(folder))}")
    return INTERRUPTED if interrupted else SUCCESS


def _groups_of(table: SpinTable, names) -> list[str] | None:
    """Groups of the variables that are left."""
    if table.groups is None:
        return None
    group_of = dict(zip(table.names, table.groups, strict=True))
    return [group_of[name] for name in names]


def _file_names(folder: Path) -> list[str]:
    return [name for name in RESULT_FILES if (folder / name).exists()]
