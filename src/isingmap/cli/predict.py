"""isingmap predict: exact chances of every cell of a table, given the other cells of its row."""

from __future__ import annotations

from argparse import Namespace

from isingmap.cli import known_table, model_options, options, streams

DESCRIPTION = """\
For every row of a table and every variable of a model the exact chance of +1, given what
else the row shows. Cells may be missing in any pattern, and whole columns too: a missing
cell is predicted from all observed cells of its row, an observed one from all others, as
if it were missing. Labels mean what they meant in the data that the model was learned from.
--fill leaves known cells as they are, 1 or 0; --calibration FILE.csv says how often what was
predicted came true among the known cells."""
EXAMPLE = """\
example:
  isingmap predict survey-map/model.json survey.csv --id-column respondent -o chances.csv"""


def add_parser(commands) -> None:
    parser = options.add_command(
        commands,
        "predict",
        run,
        text="exact chances of the cells of a table, missing or not",
        description=DESCRIPTION,
        example=EXAMPLE,
    )
    model_options.add_model_options(parser)
    known_table.add_table(parser)
    parser.add_argument(
        "--fill",
        action="store_true",
        help="known cells as they are, 1 for +1 and 0 for -1; chances of the others",
    )
    parser.add_argument(
        "--calibration",
        metavar="FILE.csv",
        type=streams.file_to_write,
        help="also write how often known cells are +1, by their chance given the other cells of the row",
    )
    model_options.add_table_options(parser, "a row of chances for each row of TABLE", required=True)


def run(arguments: Namespace) -> int:
    import numpy as np

    from isingmap.data.table import counted

    model_options.check_table(arguments)
    _check_calibration(arguments)
    file = model_options.read_model(arguments)
    model = file.model
    table, known = known_table.read_table_of(arguments, file)
    rows, unseen = _in_order_of(model, table)
    chances = model.predict(rows)
    filled = np.where(np.isnan(rows), chances, (rows + 1.0) / 2.0) if arguments.fill else chances
    model_options.write_table(arguments, model.names, filled.tolist())
    where = streams.beside(arguments.output)
    known_table.tell_notes(file, table, known, where)
    if unseen:
        print(_about(unseen), file=where)
    print(f"{counted(len(chances), 'row')} of P(+1) in {model_options.shown(arguments.output)}", file=where)
    if arguments.calibration is not None:
        print(_calibrated(arguments.calibration, chances, rows), file=where)
    return 0


def _check_calibration(arguments: Namespace) -> None:
    from isingmap.errors import FileFormatError
    from isingmap.files.whole_file import check_file

    if arguments.calibration is None:
        return
    if arguments.calibration in ("-", arguments.output):
        raise FileFormatError("--calibration needs a file of its own, such as calibration.csv")
    check_file(arguments.calibration, force=arguments.force)
    model_options.check_apart(arguments.calibration, arguments.model, arguments.table)


def _calibrated(path: str, chances, rows) -> str:
    """Write the table of calibration, and say what it comes to."""
    from pathlib import Path

    from isingmap.checking.calibration import CALIBRATION_COLUMNS, calibration_of
    from isingmap.data.table import counted
    from isingmap.files.csv_file import write_csv

    found = calibration_of(chances, rows)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    write_csv(path, CALIBRATION_COLUMNS, found.rows)
    return (
        f"calibration of {counted(found.n_cells, 'known cell')} in {model_options.shown(path)}: log loss "
        f"{found.log_loss:.4f} nats a cell, {found.marginal_log_loss:.4f} by the shares of the columns alone; of rows "
        "that the model was learned from it flatters"
    )


def _in_order_of(model, table):
    """The rows of the table in the order of the model, NaN where nothing is known; names that the table lacks."""
    import numpy as np

    rows = np.full((table.n_samples, model.n_spins), np.nan)
    place = {name: k for k, name in enumerate(model.names)}
    rows[:, [place[name] for name in table.names]] = np.where(table.spins == 0, np.nan, table.spins)
    return rows, [name for name in model.names if name not in table.names]


def _about(unseen: list[str]) -> str:
    from isingmap.data.table import counted, listed

    shown = listed([model_options.shown(name) for name in unseen])
    return f"not in the table, so missing in every row: {counted(len(unseen), 'variable')} ({shown})"
