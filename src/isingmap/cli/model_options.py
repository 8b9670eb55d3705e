"""Options of the commands that read a model file of any format, and what they say about it."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from isingmap.cli import options, streams
from isingmap.io.domains import DOMAINS
from isingmap.io.formats import FORMATS, Format, known_formats

FORMAT_HELP = f"{known_formats()}; default: from the content, else from the name"


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """The model file and how to read it."""
    parser.add_argument(
        "model",
        metavar="MODEL",
        type=streams.file_to_read,
        help="a model file, or - for standard input; docs/formats.md lists the formats",
    )
    parser.add_argument("--format", choices=FORMATS, metavar="FORMAT", help=FORMAT_HELP)
    asking = titles(format for format in FORMATS.values() if format.asks_domain)
    parser.add_argument(
        "--domain", choices=DOMAINS, help=f"variables of a {asking} file that does not say: -1/+1 or 0/1"
    )
    signed = titles(format for format in FORMATS.values() if format.takes_sign)
    parser.add_argument(
        "--sign",
        type=int,
        choices=(1, -1),
        help=f"what a positive number of an {signed} means: 1: agree (default), -1: an energy, disagree",
    )


def titles(formats: Iterable[Format]) -> str:
    """Formats as people call them."""
    return ", ".join(format.title for format in formats)


def read_model(arguments: argparse.Namespace):
    """The ModelFile that the options name."""
    from isingmap.io.model_file import read_model_file

    check_no_folder(arguments.model)
    return read_model_file(arguments.model, arguments.format, domain=arguments.domain, sign=arguments.sign)


def check_no_folder(path: str) -> None:
    """Refuse a folder in place of a file in it."""
    from os.path import isdir

    from isingmap.errors import FileFormatError

    if isdir(path):
        raise FileFormatError(f"{path} is a folder; give a file, such as the model.json in a folder of results")


def about_file(file) -> str:
    """What the file says beyond the model, if anything."""
    from isingmap.report.text import entry, section

    lines = [entry("notes", note) for note in file.notes]
    if file.domain == "boolean":
        lines.append(entry("variables", "0/1 in the file; 0 became -1, 1 became +1"))
    if file.scale != 1:
        lines.append(entry("scale", f"{file.scale:.12g}, multiplied into couplings, fields and offset"))
    if file.offset:
        lines.append(entry("energy offset", _with_offset(file)))
    return "\n" + section("The file", lines) if lines else ""


def _with_offset(file) -> str:
    from isingmap.errors import NonPlanarError, PrecisionError

    try:
        return f"{file.offset:.12g}; with it log Z = {file.model.log_partition() - file.offset:.12g}"
    except (NonPlanarError, PrecisionError):  # the summary says why
        return f"{file.offset:.12g}"


def add_table_options(parser: argparse.ArgumentParser, content: str, *, required: bool = False) -> None:
    """Where a table goes."""
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE.csv",
        type=streams.file_to_write,
        required=required,
        help=f"write {content}; - is standard output",
    )
    parser.add_argument("--force", action="store_true", help="replace an existing FILE.csv")
    options.add_debug_option(parser)


def check_table(arguments: argparse.Namespace) -> None:
    """Refuse, before any work, a table that exists, unless --force is given; and in any case one that is to be read."""
    from isingmap.files.whole_file import check_file

    if arguments.output is None:
        return
    check_file(arguments.output, force=arguments.force)
    check_apart(arguments.output, arguments.model, getattr(arguments, "table", None))


def check_apart(output: str, *inputs: str | None) -> None:
    """Refuse to write over a file that the command reads."""
    from os.path import isfile, samefile

    from isingmap.errors import FileFormatError

    for file in inputs:
        if file is not None and isfile(file) and isfile(output) and samefile(file, output):
            raise FileFormatError(f"{output} is read by this command, and would be lost; write to another file")


def write_table(arguments: argparse.Namespace, columns, rows) -> None:
    """Write the table whole or not at all, in a folder that need not exist; never over a file without --force."""
    from pathlib import Path

    from isingmap.files.csv_file import write_csv

    check_table(arguments)
    Path(arguments.output).parent.mkdir(parents=True, exist_ok=True)
    write_csv(arguments.output, columns, rows)


def in_domain(spins, file):
    """Spins in the values of the file: -1/+1 or 0/1."""
    return (spins + 1) // 2 if file.domain == "boolean" else spins


def shown(name: str) -> str:
    """A name that is safe to print."""
    from isingmap.printable import printable

    return printable(name)
