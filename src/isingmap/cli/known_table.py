"""A table whose columns are the variables of a model: how it is read, and what its labels mean."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from isingmap.cli import model_options, options, streams


def add_table(parser: ArgumentParser) -> None:
    """The argument TABLE and how it is read."""
    parser.add_argument(
        "table",
        metavar="TABLE",
        type=streams.file_to_read,
        help="file with a header line of names, those of the model, or - for standard input",
    )
    options.add_reading_options(parser.add_argument_group("the table"))


def read_table_of(arguments: Namespace, file):
    """(the table, what -1 and +1 of each variable stand for or nothing): all its columns are variables of the model."""
    from isingmap.cli.fit import positive_labels
    from isingmap.io.csv_table import read_table

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
    _refuse_strange(file.model, table)
    return table, known


def tell_notes(file, table, known, where) -> None:
    """Print what was done to model and table on the way."""
    from isingmap.cli.wording import in_options

    for note in (*file.notes, *table.notes):
        print(in_options(model_options.shown(note)), file=where)
    if not known:
        print("note: the model does not say which labels were -1 and +1; see above how they were read here", file=where)


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


def _refuse_strange(model, table) -> None:
    from isingmap.data.table import listed
    from isingmap.errors import DataError

    strange = [name for name in table.names if name not in model.names]
    if not strange:
        return
    them = "this column" if len(strange) == 1 else "these columns"
    way_out = f"Leave {them} out: {listed([f'drop_column={name!r}' for name in strange])}"
    if len(strange) == len(table.names):
        way_out = "If the rows of the table are the variables, use transpose=True and id_column=, their names"
    raise DataError(
        f"the model has no variable {listed([repr(name) for name in strange])}; its variables are "
        f"{listed(model.names)}. {way_out}"
    )
