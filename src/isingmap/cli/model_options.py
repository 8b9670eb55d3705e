"""Options of the commands that read a model file of any format, and what they say about it."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from isingmap.cli import options
from isingmap.io.domains import DOMAINS
from isingmap.io.formats import FORMATS, Format, known_formats

FORMAT_HELP = f"{known_formats()}; default: from the content, else from the name"


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """The model file and how to read it."""
    parser.add_argument("model", metavar="MODEL", help="a model file; docs/formats.md lists the formats")
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

    return read_model_file(arguments.model, arguments.format, domain=arguments.domain, sign=arguments.sign)


def add_table_options(parser: argparse.ArgumentParser, content: str, *, required: bool = False) -> None:
    """Where a table goes."""
    parser.add_argument("-o", "--output", metavar="FILE.csv", required=required, help=f"write {content}")
    parser.add_argument("--force", action="store_true", help="replace an existing FILE.csv")
    options.add_debug_option(parser)


def check_table(arguments: argparse.Namespace) -> None:
    """Refuse, before any work, a table that exists, unless --force is given."""
    from isingmap.files.whole_file import check_file

    if arguments.output is not None:
        check_file(arguments.output, force=arguments.force)


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
    from isingmap.report.text import printable

    return printable(name)
