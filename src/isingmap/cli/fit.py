"""isingmap fit: a table of two-valued answers to a planar map."""

from __future__ import annotations

from argparse import Namespace

from isingmap.cli import options, streams
from isingmap.resampling.options import COMPARING

DESCRIPTION = """\
Learn a planar map from a table: one row for each observation (a roll call, a patient, a
site), one column for each variable (a legislator, a symptom, a species), two values in
every column."""
EXAMPLE = """\
example:
  isingmap fit survey.csv --id-column respondent --missing em -o survey-map

Labels -1/1, 0/1, 1/2, FALSE/TRUE, no/yes and Nay/Yea are understood; the second is +1.
For others say which one is +1: --positive agree, or for one column --positive sex=F.
A table of counts with species as rows: --transpose --id-column species --threshold 1."""

# Settings of a comparison that learning has not.
OF_SPLITS = tuple(setting for setting in COMPARING if setting.name != "n_jobs")


def add_parser(commands) -> None:
    parser = options.add_command(
        commands,
        "fit",
        run,
        text="learn a map from a table (CSV, TSV, also gzipped)",
        description=DESCRIPTION,
        example=EXAMPLE,
    )
    parser.add_argument(
        "table",
        metavar="TABLE",
        type=streams.file_to_read,
        help="file with a header line of names, or - for standard input",
    )
    group = options.add_learning_options(parser, "fit")
    add_table_options(group)
    _add_moment_options(group)
    _add_split_options(parser)
    options.add_output_options(parser)


def add_table_options(group) -> None:
    """How the rows of a table lie in its file."""
    options.add_column_options(group)
    group.add_argument(
        "--group-column",
        metavar="NAME",
        help="a column of groups, set aside; with --transpose it colours the map",
    )
    group.add_argument("--weight-column", metavar="NAME", help="a column of weights of the rows; see --weight-kind")
    group.add_argument(
        "--cluster-column",
        metavar="NAME",
        help="a column that says which rows were not drawn independently of each other (a patient's days, the cases of "
        "a term); standard errors and intervals are then robust, from the clusters",
    )
    group.add_argument("--node-groups", metavar="FILE", help="CSV with columns name and group, to colour the variables")
    group.add_argument(
        "--histogram", action="store_true", help="the file has rows count,s1,s2,... of -1 and 1 and no header"
    )
    group.add_argument(
        "--long",
        metavar="ROW,COLUMN,VALUE",
        help="the file has one line for each cell; the names of its three columns. Cells without a line are missing",
    )


def _add_moment_options(group) -> None:
    group.add_argument(
        "--moments",
        action="store_true",
        help="the file is a square matrix with names, of E[x_i x_j] of -1/+1 data; needs --n-samples",
    )
    group.add_argument(
        "--n-samples", type=options.number, metavar="N", help="how many rows the matrix of --moments was computed from"
    )
    group.add_argument(
        "--means",
        metavar="FILE",
        help="with --moments: CSV with columns name and mean (E[x_i]); without it only --family zero-field",
    )


def _add_split_options(parser) -> None:
    group = parser.add_argument_group("groups of rows")
    group.add_argument(
        "--split-by",
        metavar="COLUMN",
        help="a map for each group of rows with one label in this column, each in a folder of its own, and a "
        "permutation test of every pair of groups, as by isingmap compare; no search has restarts unless --restarts is "
        "given",
    )
    for setting in OF_SPLITS:
        options.add_setting(group, setting, default=None)


def run(arguments: Namespace) -> int:
    from pathlib import Path

    from isingmap.cli.learning import learn_and_write
    from isingmap.cli.wording import well_formed
    from isingmap.errors import DataError
    from isingmap.report.comparison_results import check_comparison_folder
    from isingmap.report.results import check_results_folder

    check = check_results_folder if arguments.split_by is None else check_comparison_folder
    check(arguments.output, force=arguments.force)
    title = well_formed(Path(arguments.table).name)
    if arguments.split_by is not None:
        return _fit_groups(arguments, title)
    for setting in OF_SPLITS:
        if getattr(arguments, setting.name) is not None:
            raise DataError(f"{setting.flag} is for comparing groups; give --split-by, too, or leave it out")
    if arguments.moments:
        return _fit_moments(arguments, title)
    _refuse_without_moments(arguments)
    table, source = read_rows(arguments)
    return learn_and_write(table, arguments, missing=arguments.missing, title=title, source=source)


def _fit_groups(arguments: Namespace, title: str) -> int:
    from isingmap.cli.groups import compare_and_write, row_labels
    from isingmap.comparing.groups import split
    from isingmap.errors import DataError
    from isingmap.io.row_groups import read_groups

    for name in ("moments", "histogram", "long", "transpose"):
        if getattr(arguments, name):
            raise DataError(f"--split-by and --{name} exclude each other: there is no column that says a row's group")
    _refuse_without_moments(arguments)
    labels = row_labels(arguments.table, arguments.split_by, "split_by", arguments)
    arguments.id_column = [*arguments.id_column, arguments.split_by]
    table, (_, call) = read_rows(arguments)
    groups, sources = split(table, labels, arguments.split_by), []
    if len(groups) == 2 and arguments.cluster_column is None:  # a table alone has lost the labels of its clusters
        again = f"{read_groups.__name__}({arguments.split_by!r}, {call.partition('(')[2]}"
        sources = [(read_groups.__module__, f"{again}[{k}]") for k in (0, 1)]
    return compare_and_write(groups, arguments, title=title, sources=sources)


def positive_labels(texts: list[str] | None):
    """--positive as typed: one label for all columns, or a label for each of some columns (COLUMN=LABEL).

    A label with an equals sign in it is given as =LABEL.
    """
    from isingmap.errors import DataError

    if not texts:
        return None
    pairs = [text.rpartition("=") for text in texts]
    plain = [label for column, _, label in pairs if not column]
    if len(texts) == 1 and texts[0].startswith("="):
        return texts[0][1:]
    if plain and len(texts) > 1:
        raise DataError(f"positive={plain[0]!r} is for all columns; beside others give it as COLUMN=LABEL")
    return plain[0] if plain else {column: label for column, _, label in pairs}


def read_rows(arguments: Namespace):
    """The table, and the call that reads it in Python."""
    from dataclasses import replace

    from isingmap.cli.learning import source_of
    from isingmap.errors import DataError
    from isingmap.io.csv_table import read_table
    from isingmap.io.histogram import read_histogram
    from isingmap.io.long_table import read_long_table
    from isingmap.io.node_groups import read_node_groups

    arguments.positive = positive_labels(arguments.positive)
    if arguments.histogram and arguments.long:
        raise DataError("--histogram and --long exclude each other")
    if arguments.histogram:
        _refuse_with_histogram(arguments)
        table = read_histogram(arguments.table)
        source = source_of(read_histogram, arguments.table)
    elif arguments.long:
        _refuse_columns_with(arguments, "long", but=("positive", "threshold", "missing_label", "separator"))
        coding = {name: getattr(arguments, name) for name in ("positive", "threshold", "missing_label", "separator")}
        table = read_long_table(arguments.table, arguments.long, **coding)
        source = source_of(read_long_table, arguments.table, columns=arguments.long, **coding)
    else:
        reading = dict(
            positive=arguments.positive,
            id_column=arguments.id_column,
            group_column=arguments.group_column,
            weight_column=arguments.weight_column,
            cluster_column=arguments.cluster_column,
            drop_column=arguments.drop_column,
            threshold=arguments.threshold,
            missing_label=arguments.missing_label,
            header_lines=arguments.header_lines,
            transpose=arguments.transpose,
            separator=arguments.separator,
        )
        table = _in_parts(arguments, reading) or read_table(arguments.table, **reading)
        source = source_of(read_table, arguments.table, **reading)
    if arguments.node_groups:
        groups, notes = read_node_groups(arguments.node_groups, table.names)
        table = replace(table, groups=groups).with_notes(*notes)
    return table, source


def _in_parts(arguments: Namespace, reading: dict):
    """The sums of a large file, whose rows pass; None where it must be read at once."""
    import sys

    from isingmap.data.options import EM, SURVEY
    from isingmap.io.table_in_parts import is_large, read_in_parts
    from isingmap.progress import progress_bar
    from isingmap.structure.criteria import CROSS_VALIDATED

    asks_rows = arguments.transpose or arguments.cluster_column
    asks_rows = asks_rows or getattr(arguments, "split_by", True)  # other commands draw from them
    asks_rows = asks_rows or arguments.errors == "robust" or arguments.weight_kind == SURVEY
    asks_rows = asks_rows or arguments.criterion == CROSS_VALIDATED
    asks_rows = asks_rows or arguments.missing == EM
    if asks_rows or not is_large(arguments.table):
        return None
    of_parts = {name: value for name, value in reading.items() if name not in ("transpose", "cluster_column")}
    with progress_bar("bytes", enabled=not arguments.quiet and sys.stderr.isatty(), scaled=True) as progress:
        return read_in_parts(arguments.table, missing=arguments.missing, progress=progress, **of_parts)


def _fit_moments(arguments: Namespace, title: str) -> int:
    from isingmap.cli.learning import learn_moments_and_write
    from isingmap.errors import DataError
    from isingmap.io.moment_matrix import read_means, read_moments
    from isingmap.structure.families import AUTO, FAMILIES

    _refuse_columns_with(arguments, "moments", but=("separator",))
    for name in ("histogram", "long", "node_groups"):
        if getattr(arguments, name):
            raise DataError(f"--moments and --{name.replace('_', '-')} exclude each other")
    if arguments.missing != "error":
        raise DataError(
            f"--moments and --missing {arguments.missing} exclude each other: a matrix has no missing cells"
        )
    if arguments.n_samples is None:
        raise DataError("--moments needs --n-samples N, how many rows the matrix was computed from")
    if arguments.means is None and arguments.family != AUTO and FAMILIES[arguments.family].has_fields:
        raise DataError(
            f"--family {arguments.family} has fields and needs the means of the variables: give --means FILE, a CSV "
            "with columns name and mean; without means only --family zero-field can be fitted"
        )
    moments, names = read_moments(arguments.table, arguments.separator)
    means = None if arguments.means is None else read_means(arguments.means, names)
    return learn_moments_and_write(moments, names, means, arguments, title=title)


def _refuse_without_moments(arguments: Namespace) -> None:
    from isingmap.errors import DataError

    for name in ("n_samples", "means"):
        if getattr(arguments, name) is not None:
            raise DataError(
                f"--{name.replace('_', '-')} is for a matrix of moments; give --moments, too, or leave it out"
            )


def _refuse_with_histogram(arguments: Namespace) -> None:
    from isingmap.data.options import SURVEY
    from isingmap.errors import DataError

    if arguments.weight_kind == SURVEY:
        raise DataError(
            f"--histogram and --weight-kind {SURVEY} exclude each other: the counts of a histogram are frequencies"
        )
    _refuse_columns_with(arguments, "histogram")


def _refuse_columns_with(arguments: Namespace, kind: str, but: tuple[str, ...] = ()) -> None:
    """Refuse what is about the columns of a table; a histogram and a matrix of moments have none."""
    from isingmap.errors import DataError

    for name in (
        "positive",
        "id_column",
        "group_column",
        "weight_column",
        "cluster_column",
        "drop_column",
        "missing_label",
        "header_lines",
        "threshold",
        "transpose",
        "separator",
    ):
        if name not in but and getattr(arguments, name) not in (None, False, []):
            what = {"histogram": "a histogram", "moments": "a matrix of moments", "long": "a long table"}[kind]
            raise DataError(f"--{kind} and --{name.replace('_', '-')} exclude each other: {what} has no such")
