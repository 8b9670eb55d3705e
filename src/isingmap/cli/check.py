"""isingmap check: does a table look like the model?"""

from __future__ import annotations

import sys
from argparse import Namespace

from isingmap.cli import known_table, model_options, options

DESCRIPTION = """\
Holds a model against a table: exact means and correlations of all pairs, how many +1 a row
has, triples, and how much of the table's structure the model has. Tables drawn from the
model show what chance makes of so many rows. Small p-values: the table has something that
the model lacks."""
EXAMPLE = """\
example:
  isingmap check survey-map/model.json survey.csv --id-column respondent -o survey-check"""


def add_parser(commands) -> None:
    parser = options.add_command(
        commands,
        "check",
        run,
        text="does a table look like the model: pairs, triples, entropy",
        description=DESCRIPTION,
        example=EXAMPLE,
    )
    model_options.add_model_options(parser)
    known_table.add_table(parser)
    parser.add_argument(
        "--n-tables", type=options.count, default=100, metavar="N", help="tables drawn from the model (default: 100)"
    )
    parser.add_argument("--seed", type=options.count, default=0, metavar="N", help="of the draws (default: 0)")
    group = parser.add_argument_group("the output")
    group.add_argument("-o", "--output", metavar="DIR", help="folder for tables and pictures; created")
    group.add_argument("--force", action="store_true", help="replace the results in DIR, once the new are complete")
    group.add_argument("--title", metavar="TEXT", help="heads the picture and the text")
    group.add_argument("--quiet", action="store_true", help="no progress bar")
    options.add_debug_option(group)


def run(arguments: Namespace) -> int:
    from isingmap.checking.goodness import goodness_of_fit
    from isingmap.cli.wording import in_options
    from isingmap.files.whole_folder import check_folder
    from isingmap.report.check_results import FILES, check_text, write_check

    if arguments.output is not None:
        check_folder(arguments.output, force=arguments.force)
    file = model_options.read_model(arguments)
    table, known = known_table.read_table_of(arguments, file)
    watched = sys.stderr.isatty() and not arguments.quiet
    check = goodness_of_fit(file.model, table, n_tables=arguments.n_tables, seed=arguments.seed, progress=watched)
    known_table.tell_notes(file, table, known, None)
    print(in_options(check_text(check, arguments.title or "")), end="")
    if arguments.output is not None:
        folder = write_check(check, arguments.output, title=arguments.title, force=arguments.force)
        print(f"\n{', '.join(FILES)} in {model_options.shown(str(folder))}")
    return 0
