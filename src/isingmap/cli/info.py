"""isingmap info: what is in a model file of any format."""

from __future__ import annotations

from argparse import Namespace

from isingmap.cli import model_options, options

EXAMPLE = """\
example:
  isingmap info senate111/model.json
  isingmap info problem.bqpjson"""


def add_parser(commands) -> None:
    parser = options.add_command(
        commands,
        "info",
        run,
        text="summarise a model file: sizes, log Z, entropy, strongest couplings",
        description="Summarise a model file, with exact numbers where the graph is planar or small.",
        example=EXAMPLE,
    )
    model_options.add_model_options(parser)
    options.add_debug_option(parser)


def run(arguments: Namespace) -> int:
    from isingmap.report.summary import model_summary

    file = model_options.read_model(arguments)
    print(model_summary(file.model, title=arguments.model), end="")
    print(model_options.about_file(file), end="")
    return 0
