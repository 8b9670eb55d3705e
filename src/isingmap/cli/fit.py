"""isingmap fit: a table of two-valued answers to a planar map."""

from __future__ import annotations

from argparse import Namespace

from isingmap.cli import options

DESCRIPTION = """\
Learn a planar map from a table: one row for each observation (a roll call, a patient, a
site), one column for each variable (a legislator, a symptom, a species), two values in
every column."""
EXAMPLE = """\
example:
  isingmap fit survey.csv --id-column respondent --missing drop -o survey-map

Labels -1/1, 0/1, 1/2, FALSE/TRUE, no/yes and Nay/Yea are understood; the second is +1.
For others say which one is +1: --positive agree."""


def add_parser(commands) -> None:
    parser = options.add_command(
        commands,
        "fit",
        run,
        text="learn a map from a table (CSV, TSV, also gzipped)",
        description=DESCRIPTION,
        example=EXAMPLE,
    )
    parser.add_argument("table", metavar="TABLE", help="file with a header line of names")
    _add_table_options(options.add_learning_options(parser, "fit"))
    options.add_output_options(parser)


def _add_table_options(group) -> None:
    group.add_argument(
        "--id-column",
        metavar="NAME",
        action="append",
        default=[],
        help="a column to set aside (may be given several times)",
    )
    group.add_argument(
        "--group-column",
        metavar="NAME",
        help="a column of groups, set aside; with --transpose it colours the map",
    )
    group.add_argument("--weight-column", metavar="NAME", help="a column of frequency weights of the rows")
    group.add_argument("--node-groups", metavar="FILE", help="CSV with columns name and group, to colour the variables")
    group.add_argument(
        "--transpose",
        action="store_true",
        help="rows are variables, columns observations; --id-column names the variables",
    )
    group.add_argument(
        "--separator",
        type=options.separator,
        metavar="S",
        help="between the cells: , ; tab | or another character (default: guessed)",
    )
    group.add_argument(
        "--histogram", action="store_true", help="the file has rows count,s1,s2,... of -1 and 1 and no header"
    )


def run(arguments: Namespace) -> int:
    from pathlib import Path

    from isingmap.cli.learning import learn_and_write
    from isingmap.cli.wording import well_formed
    from isingmap.files.whole_folder import check_folder

    check_folder(arguments.output, force=arguments.force)
    table = _table(arguments)
    return learn_and_write(table, arguments, missing=arguments.missing, title=well_formed(Path(arguments.table).name))


def _table(arguments: Namespace):
    from dataclasses import replace

    from isingmap.io.csv_table import read_node_groups, read_table
    from isingmap.io.histogram import read_histogram

    if arguments.histogram:
        _refuse_with_histogram(arguments)
        table = read_histogram(arguments.table)
    else:
        table = read_table(
            arguments.table,
            positive=arguments.positive,
            id_column=arguments.id_column,
            group_column=arguments.group_column,
            weight_column=arguments.weight_column,
            threshold=arguments.threshold,
            transpose=arguments.transpose,
            separator=arguments.separator,
        )
    if arguments.node_groups:
        table = replace(table, groups=read_node_groups(arguments.node_groups, table.names))
    return table


def _refuse_with_histogram(arguments: Namespace) -> None:
    from isingmap.errors import DataError

    for name in (
        "positive",
        "id_column",
        "group_column",
        "weight_column",
        "threshold",
        "transpose",
        "separator",
    ):
        if getattr(arguments, name) not in (None, False, []):
            raise DataError(f"--histogram and --{name.replace('_', '-')} exclude each other: a histogram has no such")
