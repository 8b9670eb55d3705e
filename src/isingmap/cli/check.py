"""isingmap check: does a table look like the model?"""

from __future__ import annotations

import sys
from argparse import Namespace

from isingmap.cli import known_table, model_options, options
from isingmap.data.options import FREQUENCY
from isingmap.structure.options import MOMENT_SETTINGS, OPTIONS

_PLAIN = {"missing": "pairwise", "weight_kind": FREQUENCY, "prior": None}
_MEANING = {
    "missing": "missing cells. pairwise: they are missing from the drawn tables, too; drop: leave out their rows; "
    "minus: read them as -1; em: as pairwise, of a model that was fitted so; error: stop",
    "weight_kind": "what weights mean, as in isingmap fit: frequency: so many equal rows; survey: so large a part of "
    "the population",
    "prior": "the pseudo-observations that the model was fitted with",
}

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
    _add_moment_settings(known_table.add_table(parser))
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


def _add_moment_settings(group) -> None:
    """What the moments of the fit depended on; by default as the model file tells."""
    group.add_argument("--weight-column", metavar="NAME", help="a column of weights of the rows; see --weight-kind")
    for setting in OPTIONS:
        if setting.name in MOMENT_SETTINGS:
            told = f"as in the fit, if the model file tells, else {_PLAIN[setting.name]}"
            text = f"{_MEANING[setting.name]} (default: {told})"
            options.add_setting(group, setting, default=None, help=text)


def _moment_settings(arguments: Namespace, file) -> dict:
    """Those that were given, else those of the fit."""
    of_fit = file.record.get("fit", {}).get("moments") or {}
    several = ((getattr(arguments, name), of_fit.get(name), _PLAIN[name]) for name in MOMENT_SETTINGS)
    found = {
        name: next((value for value in values if value is not None), None)
        for name, values in zip(MOMENT_SETTINGS, several, strict=True)
    }
    if arguments.missing is None and found["missing"] == "error":  # the fit had no missing cells, this table may have
        found["missing"] = _PLAIN["missing"]
    if arguments.weight_kind is None and arguments.weight_column is None:
        found["weight_kind"] = _PLAIN["weight_kind"]
    return found


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
    settings = _moment_settings(arguments, file)
    check = goodness_of_fit(
        file.model, table, **settings, n_tables=arguments.n_tables, seed=arguments.seed, progress=watched
    )
    known_table.tell_notes(file, table, known, None)
    print(in_options(check_text(check, arguments.title or "")), end="")
    if arguments.output is not None:
        folder = write_check(check, arguments.output, title=arguments.title, force=arguments.force)
        print(f"\n{', '.join(FILES)} in {model_options.shown(str(folder))}")
    return 0
