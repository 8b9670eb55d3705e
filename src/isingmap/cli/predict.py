"""isingmap predict: exact chances of every cell of a table, given the other cells of its row."""

from __future__ import annotations

from argparse import Namespace

from isingmap.cli import model_options, options, streams

DESCRIPTION = """\
For every row of a table and every variable of a model the exact chance of +1, given what
else the row shows. Cells may be missing in any pattern, and whole columns too: a missing
cell is predicted from all observed cells of its row, an observed one from all others, as
if it were missing. Labels mean what they meant in the data that the model was learned from."""
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
    parser.add_argument(
        "table",
        metavar="TABLE",
        type=streams.file_to_read,
        help="file with a header line of names, those of the model, or - for standard input",
    )
    options.add_reading_options(parser.add_argument_group("the table"))
    model_options.add_table_options(parser, "a row of chances for each row of TABLE", required=True)


def run(arguments: Namespace) -> int:
    from isingmap.cli.fit import positive_labels
    from isingmap.cli.wording import in_options
    from isingmap.data.table import counted
    from isingmap.io.csv_table import read_table

    model_options.check_table(arguments)
    file = model_options.read_model(arguments)
    model = file.model
    known = _labels_of(file)
    table = read_table(
        arguments.table,
        positive=positive_labels(arguments.positive),
        id_column=arguments.id_column,
        drop_column=arguments.drop_column,
        threshold=arguments.threshold,
        missing_label=arguments.missing_label,
        header_lines=arguments.header_lines,
        transpose=arguments.transpose,
        separator=arguments.separator,
        known=known,
    )
    rows, unseen = _in_order_of(model, table)
    chances = model.predict(rows)
    model_options.write_table(arguments, model.names, chances.tolist())
    where = streams.beside(arguments.output)
    for note in (*file.notes, *table.notes):
        print(in_options(model_options.shown(note)), file=where)
    if not known:
        print("note: the model does not say which labels were -1 and +1; see above how they were read here", file=where)
    if unseen:
        print(_about(unseen), file=where)
    print(f"{counted(len(chances), 'row')} of P(+1) in {model_options.shown(arguments.output)}", file=where)
    return 0


def _labels_of(file) -> dict:
    """What -1 and +1 stood for in the data that the model was learned from; empty if its file does not tell."""
    from isingmap.data.table import Coding, listed
    from isingmap.errors import FileFormatError
    from isingmap.io.learned_entries import FIT, LABELS

    lost = [entry for entry in (FIT, LABELS) if entry in file.damaged]
    if lost:
        raise FileFormatError(
            f"{listed(lost)} of the model file is damaged, where it says which labels were -1 and +1 in the data; "
            "without it the chances may be those of the opposite. Repair the file, or learn the model again"
        )
    labels = file.record.get("fit", {}).get("labels") or []
    return {name: Coding(*pair) for name, pair in zip(file.model.names, labels, strict=bool(labels))}


def _in_order_of(model, table):
    """The rows of the table in the order of the model, NaN where nothing is known; names that the table lacks."""
    import numpy as np

    from isingmap.data.table import listed
    from isingmap.errors import DataError

    strange = [name for name in table.names if name not in model.names]
    if strange:
        them = "this column" if len(strange) == 1 else "these columns"
        way_out = f"Leave {them} out: {listed([f'drop_column={name!r}' for name in strange])}"
        if len(strange) == len(table.names):
            way_out = "If the rows of the table are the variables, use transpose=True and id_column=, their names"
        raise DataError(
            f"the model has no variable {listed([repr(name) for name in strange])}; its variables are "
            f"{listed(model.names)}. {way_out}"
        )
    rows = np.full((table.n_samples, model.n_spins), np.nan)
    place = {name: k for k, name in enumerate(model.names)}
    rows[:, [place[name] for name in table.names]] = np.where(table.spins == 0, np.nan, table.spins)
    return rows, [name for name in model.names if name not in table.names]


def _about(unseen: list[str]) -> str:
    from isingmap.data.table import counted, listed

    shown = listed([model_options.shown(name) for name in unseen])
    return f"not in the table, so missing in every row: {counted(len(unseen), 'variable')} ({shown})"
