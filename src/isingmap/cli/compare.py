"""isingmap compare: do two tables have the same map?"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from isingmap.cli import fit, options, streams
from isingmap.resampling.options import COMPARING

DESCRIPTION = """\
Learn a planar map from each of two tables with the same columns, and test whether they
differ: structure (the coupling that differs most), global strength (the sum of all), each
edge, and one map for all rows against two. The rows are dealt out to the two groups again,
a thousand times, and both maps are learned anew: how often does chance make as large a
difference? Ctrl-C ends it with the permutations that are finished; --checkpoint FILE keeps
them, and the same command goes on from there."""
EXAMPLE = """\
example:
  isingmap compare women.csv men.csv --id-column respondent --n-jobs 2 -o women-men

Groups in one table: isingmap fit survey.csv --split-by sex -o by-sex
The same persons twice, their rows told by a column in both tables:
  isingmap compare before.csv after.csv --cluster-column person -o before-after"""


def add_parser(commands) -> None:
    parser = options.add_command(
        commands,
        "compare",
        run,
        text="do two tables have the same map: permutation tests and a picture of the differences",
        description=DESCRIPTION,
        example=EXAMPLE,
    )
    for name, which in (("first", "A"), ("second", "B")):
        text = "file with a header line of names" + (
            ", the same as in A" if which == "B" else ", or - for standard input"
        )
        parser.add_argument(name, metavar=which, type=streams.file_to_read, help=text)
    group = parser.add_argument_group("the permutations")
    for setting in COMPARING:
        options.add_setting(group, setting)
    fit.add_table_options(options.add_learning_options(parser, "compare", but=("n_jobs",)))
    options.add_output_options(parser)


def run(arguments: Namespace) -> int:
    from isingmap.cli.groups import compare_and_write
    from isingmap.report.comparison_results import check_comparison_folder

    check_comparison_folder(arguments.output, force=arguments.force)
    groups, sources = _read_groups(arguments)
    title = f"{groups[0].label} and {groups[1].label}"
    return compare_and_write(groups, arguments, title=title, sources=sources)


def _read_groups(arguments: Namespace):
    """The groups in two files, and the calls that read them in Python."""
    from isingmap.cli.groups import row_labels
    from isingmap.comparing.groups import Group, numbered_together

    paths, clusters = (arguments.first, arguments.second), None
    if arguments.cluster_column is not None:
        clusters = numbered_together(
            [row_labels(path, arguments.cluster_column, "cluster_column", arguments) for path in paths]
        )
    read = [fit.read_rows(Namespace(**{**vars(arguments), "table": path})) for path in paths]
    arguments.positive = fit.positive_labels(arguments.positive)  # as both were read
    groups = [
        Group(label, replace(table, clusters=None)) for label, (table, _) in zip(_called(paths), read, strict=True)
    ]
    if clusters is not None:
        groups = [replace(group, clusters=each) for group, each in zip(groups, clusters, strict=True)]
    sources = [source for _, source in read]
    return groups, sources if clusters is None else ()  # a table that was read has lost their labels


def _called(paths: Sequence[str]) -> list[str]:
    """The groups are called like their files, with folders only where they need them."""
    from isingmap.cli.wording import well_formed
    from isingmap.report.text import distinct

    for names in ([Path(path).stem for path in paths], paths):
        if len(set(names)) == len(paths):
            return [well_formed(name) for name in names]
    return distinct(map(well_formed, paths), 10**6)
