"""Options that several commands share, with their help."""

from __future__ import annotations

import argparse

FAMILY_HELP = """\
partial (default): the data decide which variables get a field (a leaning of their own)
and which pairs a coupling; zero-field: couplings only, right when every column is about
half and half; outer-planar: a field on every variable"""


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


def add_learning_options(parser: argparse.ArgumentParser) -> None:
    """What to learn: family, criterion and the rules for trouble."""
    group = parser.add_argument_group("the model")
    group.add_argument(
        "--family", choices=("partial", "zero-field", "outer-planar"), default="partial", help=FAMILY_HELP
    )
    group.add_argument(
        "--criterion",
        choices=("bic", "ebic", "aic", "maximal"),
        default="ebic",
        help="when to stop adding edges: ebic (default, extended BIC), bic or aic (more edges), when an edge no "
        "longer pays for itself; "
        "maximal: never, as long as the plane has room, needed or not",
    )
    group.add_argument(
        "--gamma", type=number, default=0.25, metavar="G", help="strictness of ebic, from 0 (bic) to 1 (default: 0.25)"
    )
    group.add_argument(
        "--search",
        choices=("forward-backward", "greedy", "chow-liu", "tmfg", "pmfg", "independent"),
        default="forward-backward",
        help="forward-backward (default): add, remove and swap edges by their exact effect; greedy: the paper's, "
        "which never takes an edge back; or, for comparison, the exact fit on a graph in use today",
    )
    group.add_argument(
        "--restarts",
        type=count,
        metavar="N",
        help="forward-backward ends when N perturbed restarts in a row found nothing better (default: 30 up to 20 "
        "variables, 12 up to 50, else 0)",
    )
    group.add_argument("--seed", type=count, default=0, metavar="N", help="seed of the restarts (default: 0)")
    group.add_argument(
        "--checkpoint",
        metavar="FILE",
        help="keep a long search in FILE, written every 20 seconds: the same command goes on from it after a crash",
    )
    group.add_argument(
        "--min-gain",
        type=number,
        metavar="G",
        help="also stop when the best edge gains less than G nats per row",
    )
    group.add_argument("--n-edges", type=count, metavar="N", help="also stop at N edges")
    group.add_argument(
        "--prior",
        type=number,
        metavar="A",
        help="add A pseudo-observations spread evenly over all configurations; keeps couplings finite "
        "where two columns always agree (1 is a mild choice; default: none)",
    )
    group.add_argument(
        "--constant",
        choices=("error", "drop", "keep"),
        default="error",
        help="columns with a single value: stop (default), leave them out, or keep them (with --prior)",
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
    group.add_argument("--quiet", action="store_true", help="no progress bar and no summary on the screen")
    add_debug_option(group)


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
