"""The command `isingmap`: finds the sub-command, runs it, and says in plain words what went wrong.

Exit codes: 0 success, 1 a bug, 2 bad usage or bad data, 130 interrupted.
"""

from __future__ import annotations

import argparse
import difflib
import shlex
import signal
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

from isingmap import __version__
from isingmap.cli import (
    check,
    compare,
    convert,
    correlations,
    demo,
    draw,
    fit,
    ground_state,
    infer,
    info,
    predict,
    report,
    sample,
    simulate,
    stability,
    streams,
    voteview,
)
from isingmap.cli.exit_codes import BUG, INTERRUPTED, SUCCESS, USER_ERROR
from isingmap.cli.first_page import FIRST_PAGE
from isingmap.cli.wording import in_options, printable_lines, well_formed
from isingmap.errors import IsingMapError, IsingMapWarning
from isingmap.interruption import listening, noted, was_interrupted
from isingmap.printable import printable

DESCRIPTION = """\
isingmap learns planar maps of yes/no data: which variables go together when all others
are held fixed, as a graph that can be drawn without crossing lines, with exact
probabilities (a planar Ising model)."""
EPILOG = """\
example:
  isingmap demo -o demo          the map of the 106th US Senate, from data that ship with it
  isingmap fit table.csv -o map  the map of your own table

isingmap COMMAND --help explains a command."""
COMMANDS = (
    fit,
    stability,
    compare,
    voteview,
    info,
    infer,
    ground_state,
    sample,
    correlations,
    predict,
    check,
    convert,
    draw,
    report,
    simulate,
    demo,
)


class UsageError(Exception):
    """The command line cannot be understood."""


class Parser(argparse.ArgumentParser):
    """A parser that raises instead of leaving the program, and takes no abbreviations."""

    def __init__(self, **options):
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}\nsee {self.prog} --help")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the name of the program; those of the process by default.
    """
    argv = sys.argv[1:] if argv is None else list(argv)
    streams.prepare()
    try:
        with listening(signal.SIGTERM):
            code = _run(argv)
    except KeyboardInterrupt:  # too late for anybody to look
        code = INTERRUPTED
    return streams.settled(code)


def _run(argv: list[str]) -> int:
    known: frozenset[str] | None = None
    try:
        if not argv:
            print(FIRST_PAGE, end="")
            return SUCCESS
        arguments = _parsed(argv)
        known = frozenset(_options_of(arguments.parser))
        quiet = getattr(arguments, "quiet", False)
        with _plain_warnings(known) as arguments.warnings, streams.status_shown(enabled=not quiet):
            code = arguments.run(arguments)
        if noted() is not None and code == SUCCESS:
            streams.complain(
                "interrupted when all was done; the results are complete, but for tests of edges where they say so"
            )
            return INTERRUPTED
        return code
    except SystemExit as leaving:  # argparse, after --help and --version
        return int(leaving.code or SUCCESS)
    except BrokenPipeError:
        streams.abandon(sys.stdout)
        return SUCCESS
    except BaseException as error:
        if "--debug" in argv:
            streams.complain(printable_lines(traceback.format_exc(), argv))
        code, message = _verdict(error, known, argv)
        streams.complain(message)
        return code


def _parsed(argv: list[str]) -> argparse.Namespace:
    parser = build_parser()
    arguments, unknown = parser.parse_known_args(argv)
    if unknown:
        raise UsageError(_about_unknown(unknown, arguments.parser))
    arguments.command_line = well_formed(shlex.join(["isingmap", *argv]))
    return arguments


def _options_of(parser: argparse.ArgumentParser) -> list[str]:
    return [option for action in parser._actions for option in action.option_strings]


def build_parser() -> Parser:
    """The parser of all commands."""
    parser = Parser(
        prog="isingmap",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"isingmap {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_parser(commands)
    return parser


def _about_unknown(unknown: Sequence[str], parser: Parser) -> str:
    name = unknown[0].split("=")[0]
    if not name.startswith("-"):
        return f"{name!r} is one argument too many\nsee {parser.prog} --help"
    close = difflib.get_close_matches(name, _options_of(parser), 1, 0.8)
    advice = f"; did you mean {close[0]}?" if close else ""
    return f"there is no option {name}{advice}\nsee {parser.prog} --help"


def _verdict(error: BaseException, known: frozenset[str] | None, argv: list[str]) -> tuple[int, str]:
    """Exit code and message of an error, in the words of a command with the options `known`."""

    def worded(text: object) -> str:
        return in_options(printable_lines(str(text), argv), known)

    if was_interrupted(error) and not isinstance(error, IsingMapError | OSError):
        told = error.args[0] if isinstance(error, KeyboardInterrupt) and error.args else None
        when = f" {told}" if isinstance(told, str) else ""  # others tell the number of the signal
        return INTERRUPTED, f"interrupted{when}; no half-written result was left"
    if isinstance(error, UsageError | IsingMapError):
        return USER_ERROR, f"error: {worded(error)}"
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else "the output cannot be written: "
        return USER_ERROR, f"error: {worded(f'{where}{error.strerror or error}')}"
    if isinstance(error, MemoryError):
        return BUG, "error: not enough memory"
    return BUG, (
        f"error: isingmap failed unexpectedly ({type(error).__name__}: {worded(error)}). This is a bug; "
        "please report it with what the same command prints under --debug"
    )


@contextmanager
def _plain_warnings(known: frozenset[str]) -> Iterator[list[str]]:
    """Print each warning of isingmap once, without Python's file and line; drop those of others.

    The list of those printed grows, so that a summary can hold them all.
    """
    seen: list[str] = []

    def show(message, category, filename, lineno, file=None, line=None) -> None:
        text = in_options(printable(message), known)  # all of it in one line
        if text not in seen:
            seen.append(text)
            streams.complain(f"warning: {text}")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", IsingMapWarning)
        warnings.showwarning = show
        yield seen
