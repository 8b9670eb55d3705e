"""isingmap ground-state: a most probable configuration of a model file, with a proof."""

from __future__ import annotations

from argparse import Namespace

from isingmap.cli import model_options, options, streams

DESCRIPTION = """\
A configuration of largest probability and its energy, -(sum couplings x x + sum fields x).
"certified" means that it is proved that no other one has a lower energy."""
EXAMPLE = """\
example:
  isingmap ground-state glass.bqpjson --degeneracy -o ground.csv"""


def add_parser(commands) -> None:
    parser = options.add_command(
        commands,
        "ground-state",
        run,
        text="a most probable configuration of a model",
        description=DESCRIPTION,
        example=EXAMPLE,
    )
    model_options.add_model_options(parser)
    parser.add_argument(
        "--degeneracy",
        action="store_true",
        help="also count the ground states (couplings must be multiples of one unit, such as +-J)",
    )
    model_options.add_table_options(parser, "name,value of each variable")


def run(arguments: Namespace) -> int:
    model_options.check_table(arguments)
    file = model_options.read_model(arguments)
    state = file.model.ground_state()
    values = model_options.in_domain(state.spins, file)
    if arguments.output is not None:
        model_options.write_table(arguments, ("name", "value"), zip(file.model.names, values.tolist(), strict=True))
    else:
        for name, value in zip(file.model.names, values.tolist(), strict=True):
            print(f"{model_options.shown(name)}\t{value}")
    where = streams.beside(arguments.output)
    proved = "certified" if state.certified else "NOT certified"
    print(f"energy {state.energy + file.offset:.15g} ({proved})", file=where)
    if arguments.degeneracy:
        print(f"ground states {file.model.degeneracy()} (proved)", file=where)
    return 0
