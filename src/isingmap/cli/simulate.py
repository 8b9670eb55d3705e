"""isingmap simulate: random models and Gibbs samples of them, as in the paper's experiments."""

from __future__ import annotations

from argparse import Namespace, RawDescriptionHelpFormatter

from isingmap.cli import model_options, options, streams

DESCRIPTION = """\
Draw a random planar model and sample it by Gibbs sampling. Couplings are uniform on
[-HIGH, -LOW] and [LOW, HIGH], fields on [-FIELD, FIELD]. The same seed gives the same
model and samples."""
EXAMPLE = """\
example (the paper's grid):
  isingmap simulate grid --rows 7 --columns 7 -n 10000 --seed 1 -o grid.csv --model grid.json"""


def add_parser(commands) -> None:
    parser = commands.add_parser(
        "simulate",
        help="draw a random planar model and samples of it",
        description=DESCRIPTION,
        epilog=EXAMPLE,
        formatter_class=RawDescriptionHelpFormatter,
    )
    graphs = parser.add_subparsers(title="graphs", metavar="GRAPH", dest="graph", required=True)
    grid = _graph(graphs, "grid", "square grid with free boundaries, no fields")
    grid.add_argument("--rows", type=options.count, default=7, metavar="R", help="default 7")
    grid.add_argument("--columns", type=options.count, default=7, metavar="C", help="default 7")
    outer = _graph(graphs, "outer-planar", "a cycle with chords that do not cross, a field on every variable")
    outer.add_argument("--variables", type=options.count, default=12, metavar="V", help="default 12")
    outer.add_argument("--field", type=options.number, default=0.5, help="largest |field| (default 0.5)")
    outer.add_argument("--paper", action="store_true", help="the graph of the paper, 12 variables and 21 edges")
    planar = _graph(graphs, "planar", "part of the triangulation of random points")
    planar.add_argument("--variables", type=options.count, default=50, metavar="V", help="default 50")
    planar.add_argument(
        "--density",
        type=options.number,
        default=0.7,
        help="share of the triangulation's edges that is kept (default 0.7)",
    )
    planar.add_argument("--field", type=options.number, default=0.0, help="largest |field| (default 0)")


def _graph(graphs, name: str, text: str):
    description = text[0].upper() + text[1:] + "."
    parser = options.add_command(graphs, name, run, text=text, description=description, example=EXAMPLE)
    parser.add_argument("-n", "--n-samples", type=options.count, required=True, metavar="N", help="rows to draw")
    parser.add_argument("--seed", type=options.count, metavar="S", help="default: drawn, printed and stored")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="FILE.csv",
        type=streams.file_to_write,
        help="the samples, -1 and 1; - is standard output",
    )
    parser.add_argument("--model", metavar="FILE.json", type=streams.file_to_write, help="write the model too")
    parser.add_argument("--low", type=options.number, default=0.05, help="smallest |coupling| (default 0.05)")
    parser.add_argument("--high", type=options.number, default=1.0, help="largest |coupling| (default 1)")
    parser.add_argument("--burn-in", type=options.count, default=1000, metavar="SWEEPS", help="default 1000")
    parser.add_argument(
        "--thin",
        type=options.count,
        default=10,
        metavar="SWEEPS",
        help="sweeps from one sample to the next (default 10)",
    )
    parser.add_argument("--force", action="store_true", help="replace existing files")
    parser.add_argument("--quiet", action="store_true", help="print nothing but the seed")
    options.add_debug_option(parser)
    return parser


def run(arguments: Namespace) -> int:
    import secrets

    import numpy as np

    from isingmap.data.table import counted
    from isingmap.sampling.gibbs import gibbs_sample

    _check_outputs(arguments)
    seed = secrets.randbits(32) if arguments.seed is None else arguments.seed
    rng = np.random.default_rng(seed)
    model = _model(arguments, rng)
    samples = gibbs_sample(model, arguments.n_samples, rng=rng, n_burn_in=arguments.burn_in, n_thin=arguments.thin)
    _write(arguments, model, samples, {"graph": arguments.graph, "seed": seed, "command": arguments.command_line})
    where = streams.STANDARD_OUTPUT if streams.STANDARD_OUTPUT in _outputs(arguments) else None
    print(f"seed {seed}", file=streams.beside(where))
    if not arguments.quiet:
        print(
            f"{model!r}: {counted(len(samples), 'sample')} in {model_options.shown(arguments.output)}; Gibbs sampling, "
            f"{counted(arguments.burn_in, 'sweep')} of burn-in, "
            f"then {counted(arguments.thin, 'sweep')} for each sample",
            file=streams.beside(where),
        )
    return 0


def _outputs(arguments: Namespace) -> list[str]:
    return [path for path in (arguments.model, arguments.output) if path is not None]


def _check_outputs(arguments: Namespace) -> None:
    """Before any work: files that exist, and one name for two files."""
    from os.path import abspath

    from isingmap.errors import OutputExistsError
    from isingmap.files.whole_file import check_file

    if arguments.model is not None and abspath(arguments.model) == abspath(arguments.output):
        raise OutputExistsError(f"--output and --model are the same file, {arguments.model}; give two names")
    for path in _outputs(arguments):
        check_file(path, force=arguments.force)


def _model(arguments: Namespace, rng):
    from isingmap.datasets import random_models

    bounds = {"low": arguments.low, "high": arguments.high, "rng": rng}
    if arguments.graph == "grid":
        return random_models.grid_model(arguments.rows, arguments.columns, **bounds)
    if arguments.graph == "planar":
        return random_models.random_planar_model(
            arguments.variables, density=arguments.density, field=arguments.field, **bounds
        )
    if arguments.paper:
        return random_models.paper_outer_planar_model(field=arguments.field, **bounds)
    return random_models.outer_planar_model(arguments.variables, field=arguments.field, **bounds)


def _write(arguments: Namespace, model, samples, simulation: dict) -> None:
    from pathlib import Path

    from isingmap.files.csv_file import write_csv
    from isingmap.files.strict_json import write_json
    from isingmap.files.whole_file import together
    from isingmap.model.json_format import document_of

    for path in _outputs(arguments):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    with together():
        if arguments.model is not None:
            write_json(arguments.model, document_of(model, simulation=simulation))
        write_csv(arguments.output, model.names, samples.tolist())
