"""What fit, voteview and demo have in common: learn from a table, write the folder, print the summary."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from isingmap.cli.exit_codes import INTERRUPTED, SUCCESS
from isingmap.cli.first_use import compile_ahead
from isingmap.data.counted_table import CountedTable
from isingmap.data.table import SpinTable
from isingmap.io.graph_file import read_graph
from isingmap.learning.learned_map import LearnedMap, check_places
from isingmap.learning.planar_ising import PlanarIsing
from isingmap.printable import printable
from isingmap.report.results import result_names, write_results
from isingmap.report.saved_map import read_positions
from isingmap.resampling.options import RESAMPLING
from isingmap.structure.families import FAMILIES
from isingmap.structure.options import OPTIONS


def learn_and_write(
    table: SpinTable | CountedTable,
    arguments: Namespace,
    *,
    missing: str,
    title: str,
    source: tuple[str, str] | None = None,
) -> int:
    """Fit the table with the options given, write all results and say where; returns the exit code."""
    places = places_of(table.names, arguments)
    graph, notes = graph_of(table.names, arguments)
    learned = estimator(arguments, missing=missing, graph=graph).fit(table.with_notes(*notes)).learned_
    return _write(learned, arguments, places, title=title, source=source)


def resample_and_write(table: SpinTable, arguments: Namespace, *, title: str, source: tuple[str, str]) -> int:
    """Like `learn_and_write`, and again from resampled rows."""
    places = places_of(table.names, arguments)
    graph, notes = graph_of(table.names, arguments)
    fit = estimator(arguments, missing=arguments.missing, graph=graph)
    found = fit.stability(
        table.with_notes(*notes), **{setting.name: getattr(arguments, setting.name) for setting in RESAMPLING}
    )
    code = _write(fit.learned_, arguments, places, title=title, source=source)
    if found.interrupted and arguments.checkpoint is not None:
        print(f"{printable(arguments.checkpoint)} has them too, and the same command goes on", file=sys.stderr)
    return code


def learn_moments_and_write(moments, names: Sequence[str], means, arguments: Namespace, *, title: str) -> int:
    """Like `learn_and_write`, from a matrix of moments and the means, or None."""
    places = places_of(names, arguments)
    graph, notes = graph_of(names, arguments)
    fit = estimator(arguments, graph=graph).fit_moments(moments, arguments.n_samples, magnetizations=means, names=names)
    learned = replace(fit.learned_, notes=(*fit.learned_.notes, *notes))
    return _write(learned, arguments, places, title=title, source=None)


def estimator(arguments: Namespace, **settings: object) -> PlanarIsing:
    """The estimator with the options given, and what its fits call compiled."""
    compile_ahead(verbose=_is_watched(arguments))
    given = {o.python: getattr(arguments, o.name) for o in OPTIONS if o.python and hasattr(arguments, o.name)}
    return PlanarIsing(**(given | {"verbose": _is_watched(arguments)} | settings))


def _is_watched(arguments: Namespace) -> bool:
    return not arguments.quiet and sys.stderr.isatty()


def _write(learned: LearnedMap, arguments: Namespace, places, *, title: str, source: tuple[str, str] | None) -> int:
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
        print(f"interrupted: {_what_there_is(learned)} in {printable(folder)}", file=sys.stderr)
    if not arguments.quiet:
        print((folder / "summary.txt").read_text(encoding="utf-8"))
        print(f"Written to {printable(folder)}: {', '.join(_file_names(folder))}")
    return INTERRUPTED if learned.interrupted else SUCCESS


def _what_there_is(learned: LearnedMap) -> str:
    found = learned.stability
    if found is None:
        chosen = learned.selection
        if chosen is not None and chosen.was_interrupted and not learned.result.was_interrupted:
            return f"the model with the settings that {chosen.n_done} of {chosen.n_folds} folds chose is"
        return "the model found so far is"
    return f"the results of {len(found.outcomes):,} of {found.settings.n_resamples:,} resamples are"


def source_of(function, *paths: str, **options: object) -> tuple[str, str]:
    """The module of a function that reads data, and the call with those options that were given."""
    texts = [repr(path) for path in paths]
    texts += [
        f"{name}={value!r}"
        for name, value in options.items()
        if value is not None and value is not False and value != []
    ]
    return function.__module__, f"{function.__name__}({', '.join(texts)})"


def places_of(names: Sequence[str], arguments: Namespace):
    """Places of the variables, if a file of them was given; looked at before the work."""
    if arguments.places is None:
        return None
    places = read_positions(arguments.places)
    if arguments.constant != "drop":  # which may still leave out variables that have no place
        check_places(places, names)
    return places


def graph_of(names: Sequence[str], arguments: Namespace) -> tuple[list[tuple[str, str]] | None, tuple[str, ...]]:
    """The edges of the graph that was given, if one was, and what to say of it; looked at before the work."""
    if arguments.graph is None:
        return None, ()
    given, family = read_graph(arguments.graph), FAMILIES.get(arguments.family)  # "auto" is refused later
    with_fields = family is not None and family.has_fields and not family.every_field
    return given.pairs(names, with_fields=with_fields), (given.note(with_fields=with_fields),)


def _file_names(folder: Path) -> list[str]:
    return [name for name in result_names() if (folder / name).exists()]
