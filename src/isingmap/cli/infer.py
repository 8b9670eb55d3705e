"""isingmap infer: exact log Z, entropy and moments of a model file of any format, or many temperatures at once."""

from __future__ import annotations

from argparse import Namespace

from isingmap.cli import betas, model_options, options, streams

DESCRIPTION = """\
Exact answers for a model: log Z, entropy, E[x_i x_j] of every edge and E[x_i] of every
variable. The graph must be planar, with the fields too, or narrow, such as a planar graph of a
hundred variables with a field on each.
With --beta: log Z, mean energy, heat capacity and entropy at each inverse temperature, for the
whole model and per spin (the specific heat), energies in units of the couplings."""
EXAMPLE = """\
example:
  isingmap infer map/model.json               a summary on the screen
  isingmap infer glass.bqpjson -o moments.csv
  isingmap infer glass.bqpjson --beta 0.1:2:0.1 -o temperatures.csv"""
COLUMNS = ("source", "target", "parameter", "moment")


def add_parser(commands) -> None:
    parser = options.add_command(
        commands,
        "infer",
        run,
        text="exact log Z, entropy and moments of a model of any format",
        description=DESCRIPTION,
        example=EXAMPLE,
    )
    model_options.add_model_options(parser)
    parser.add_argument(
        "--certified",
        action="store_true",
        help="also print an interval that provably contains log Z (ball arithmetic)",
    )
    parser.add_argument(
        "--beta",
        metavar="LIST",
        type=betas.betas,
        help="inverse temperatures, such as 0.5,1,2 or 0.1:2:0.1 (start:stop:step): couplings and fields are "
        "multiplied by each",
    )
    model_options.add_table_options(
        parser,
        "a row source,target,parameter,moment for each edge (coupling, E[x y]) and, with an empty target, for each "
        "variable (field, E[x]); with --beta a row for each temperature",
    )


def run(arguments: Namespace) -> int:
    from isingmap.report.summary import model_summary

    if arguments.beta is not None and arguments.certified:
        arguments.parser.error("--certified is about the model as it is, --beta about other temperatures; give one")
    model_options.check_table(arguments)
    file = model_options.read_model(arguments)
    if arguments.beta is not None:
        return _at_temperatures(file, arguments)
    file.model.log_partition()  # where there is no exact answer this says why; a summary would go on
    if arguments.output is not None:
        _write(file.model, arguments)
    where = streams.beside(arguments.output)
    print(model_summary(file.model, title=arguments.model), end="", file=where)
    print(model_options.about_file(file), end="", file=where)
    if arguments.certified:
        interval = file.model.log_partition(certified=True)
        print(f"log Z lies in [{interval.lower!r}, {interval.upper!r}] (proved)", file=where)
    return 0


def _at_temperatures(file, arguments: Namespace) -> int:
    found = file.model.thermodynamics(arguments.beta)
    where = streams.beside(arguments.output)
    if arguments.output is not None:
        model_options.write_table(arguments, betas.COLUMNS, betas.rows(found))
    print(betas.as_text(found), end="", file=where)
    if file.offset:
        print(f"the energy offset of the file, {file.offset:.12g}, is not in log Z and energy", file=where)
    return 0


def _write(model, arguments: Namespace) -> None:
    edges = zip(model.edge_names, model.couplings.tolist(), model.moments().tolist(), strict=True)
    nodes = zip(model.names, model.fields.tolist(), model.magnetizations().tolist(), strict=True)
    rows = [(*pair, coupling, moment) for pair, coupling, moment in edges]
    rows += [(name, "", field, mean) for name, field, mean in nodes]
    model_options.write_table(arguments, COLUMNS, rows)
