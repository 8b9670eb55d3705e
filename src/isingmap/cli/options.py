"""Options that several commands share, with their help."""

from __future__ import annotations

import argparse
from collections.abc import Collection

from isingmap.cli.wording import in_options
from isingmap.option import Option
from isingmap.structure.options import OPTIONS


def add_command(commands, name: str, run, *, text: str, description: str, example: str) -> argparse.ArgumentParser:
    """A sub-command that runs `run(arguments)`; `text` is its line in the list of commands."""
    parser = commands.add_parser(
        name,
        help=text,
        description=description,
        epilog=example,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run, parser=parser)
    return parser


def add_learning_options(parser: argparse.ArgumentParser, command: str, *, but: Collection[str] = ()):
    """Every setting of learning that the command takes, but for some; returns the group of those about its table."""
    groups = {False: parser.add_argument_group("the model"), True: parser.add_argument_group("the table")}
    for setting in OPTIONS:
        if setting.flag and setting.name not in but and (not setting.commands or command in setting.commands):
            add_setting(groups[bool(setting.commands)], setting)
    return groups[True]


def add_setting(group, setting: Option, **others: object) -> None:
    """An argument made from an entry of a table of settings; `others` of argparse win."""
    default = "" if setting.default is None else f" (default: {setting.default})"
    details: dict[str, object] = {"dest": setting.name, "default": setting.default}
    details["help"] = in_options(setting.help + default).replace("%", "%%")
    if setting.kind == "switch":
        details["action"] = argparse.BooleanOptionalAction
    elif setting.kind in ("labels", "names"):
        details |= {"action": "append", "metavar": setting.metavar}
        details["help"] = f"{details['help']} (may be given several times)"
    elif setting.choices:
        details["choices"] = setting.choices
    else:
        kind = whole if setting.kind == "whole" and setting.least < 0 else _TYPES.get(setting.kind, str)
        details |= {"type": kind, "metavar": setting.metavar}
    group.add_argument(setting.flag, **(details | others))


def add_reading_options(group) -> None:
    """How a table is read, for commands that learn nothing from it."""
    for setting in OPTIONS:
        if setting.name in ("positive", "missing_label", "threshold"):
            add_setting(group, setting)
    add_column_options(group)


def add_column_options(group) -> None:
    """Which columns of a table are not variables, and how its cells lie in the file."""
    group.add_argument(
        "--id-column",
        metavar="NAME",
        action="append",
        default=[],
        help="a column to set aside (may be given several times)",
    )
    group.add_argument(
        "--drop-column",
        metavar="NAME",
        action="append",
        default=[],
        help="a column to leave out, such as a total (may be given several times)",
    )
    group.add_argument(
        "--transpose",
        action="store_true",
        help="rows are variables, columns observations; --id-column names the variables",
    )
    group.add_argument(
        "--separator",
        type=separator,
        metavar="S",
        help="between the cells: , ; tab | or another character (default: guessed)",
    )
    group.add_argument(
        "--header-lines",
        type=count,
        metavar="N",
        help="lines of the header; names come from the first, 0: no names (default: 1, or 0 if the first line "
        "holds answers)",
    )


def add_output_options(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    """Where the results go and how much is said."""
    group = parser.add_argument_group("the output")
    shown = "folder for the results; created, never overwritten without --force"
    group.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        required=default is None,
        default=default,
        help=shown + (f" (default: {default})" if default else ""),
    )
    group.add_argument(
        "--force",
        action="store_true",
        help="replace the results in DIR, once the new ones are complete; other files in it stay",
    )
    group.add_argument(
        "--layout",
        choices=("planar", "kamada-kawai"),
        default="planar",
        help="picture without crossing lines (default), or by distances in the graph as in the paper",
    )
    add_picture_options(group)
    group.add_argument("--quiet", action="store_true", help="no progress bar and no summary on the screen")
    add_debug_option(group)


def add_picture_options(parser) -> None:
    """What stands above a map, and where its variables go."""
    parser.add_argument("--title", metavar="TEXT", help="heads the picture and the summary")
    parser.add_argument(
        "--places",
        metavar="FILE",
        help="a model.json of another map: draw the variables in the places that they have there",
    )


def add_debug_option(parser) -> None:
    parser.add_argument("--debug", action="store_true", help="show the Python traceback of an error")


def separator(text: str) -> str:
    """A separator as typed; a tab is hard to type."""
    return "\t" if text in ("tab", "\\t") else text


def number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number, got {text!r}") from None


def count(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = -1
    if value < 0:
        raise argparse.ArgumentTypeError(f"expected a whole number, 0 or more, got {text!r}")
    return value


def whole(text: str) -> int:
    """A whole number of any sign, whose bounds are looked at later."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a whole number, got {text!r}") from None


_TYPES = {"number": number, "whole": count, "seed": count}
