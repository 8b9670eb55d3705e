"""isingmap info: what is in a model file."""

from __future__ import annotations

from argparse import Namespace

from isingmap.cli import options

EXAMPLE = """\
example:
  isingmap info senate111/model.json"""


def add_parser(commands) -> None:
    parser = options.add_command(
        commands,
        "info",
        run,
        text="summarise a model file: sizes, log Z, entropy, strongest couplings",
        description="Summarise a model.json, with exact numbers where the graph is planar.",
        example=EXAMPLE,
    )
    parser.add_argument("model", metavar="MODEL", help="a model.json that isingmap wrote")
    options.add_debug_option(parser)


def run(arguments: Namespace) -> int:
    from isingmap.model import IsingModel
    from isingmap.report.summary import model_summary

    print(model_summary(IsingModel.load(arguments.model), title=arguments.model), end="")
    return 0
