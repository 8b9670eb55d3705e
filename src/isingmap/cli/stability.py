"""isingmap stability: a table to a planar map, and how far its edges can be relied on."""

from __future__ import annotations

from argparse import Namespace

from isingmap.cli import fit, options, streams
from isingmap.resampling.options import RESAMPLING

DESCRIPTION = """\
Learn a planar map from a table as isingmap fit does, and again from resampled rows, a
thousand times: how often is each edge found, and how do its couplings vary? Writes the
files of isingmap fit and stability.csv, stability.svg and resamples.npz. Ctrl-C ends it
with the resamples that are finished; --checkpoint FILE keeps them, and the same command
goes on from there."""
EXAMPLE = """\
example:
  isingmap stability survey.csv --id-column respondent --n-jobs 2 -o survey-stability

On two machines, with the same table and options, and merged:
  isingmap stability survey.csv --n-resamples 500 -o one
  isingmap stability survey.csv --n-resamples 500 --first 500 -o two
  isingmap stability survey.csv --n-resamples 1000 --resamples one/resamples.npz
    --resamples two/resamples.npz -o both"""


def add_parser(commands) -> None:
    parser = options.add_command(
        commands,
        "stability",
        run,
        text="learn a map, and how often its edges come back when rows are resampled",
        description=DESCRIPTION,
        example=EXAMPLE,
    )
    parser.add_argument(
        "table",
        metavar="TABLE",
        type=streams.file_to_read,
        help="file with a header line of names, or - for standard input",
    )
    group = parser.add_argument_group("the resamples")
    for setting in RESAMPLING:
        options.add_setting(group, setting)
    fit.add_table_options(options.add_learning_options(parser, "stability", but=("n_jobs",)))
    options.add_output_options(parser)


def run(arguments: Namespace) -> int:
    from pathlib import Path

    from isingmap.cli.learning import resample_and_write
    from isingmap.cli.wording import well_formed
    from isingmap.report.results import check_results_folder

    check_results_folder(arguments.output, force=arguments.force)
    table, source = fit.read_rows(arguments)
    return resample_and_write(table, arguments, title=well_formed(Path(arguments.table).name), source=source)
