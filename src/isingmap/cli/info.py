"""isingmap info: what is in a model file."""

from __future__ import annotations

from argparse import Namespace, RawDescriptionHelpFormatter

from isingmap.cli import options

EXAMPLE = """\
example:
  isingmap info senate111/model.json"""


def add_parser(commands) -> None:
    parser = commands.add_parser(
        "info",
        help="summarise a model file: sizes, log Z, entropy, strongest couplings",
        description="Summarise a model.json, with exact numbers where the graph is planar.",
        epilog=EXAMPLE,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run, parser=parser)
    parser.add_argument("model", metavar="MODEL", help="a model.json that isingmap wrote")
    options.add_debug_option(parser)


def run(arguments: Namespace) -> int:
    from isingmap.model import IsingModel
    from isingmap.report.summary import model_summary

    print(model_summary(IsingModel.load(arguments.model), title=arguments.model), end="")
    return 0
