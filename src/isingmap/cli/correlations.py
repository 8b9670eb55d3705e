"""isingmap correlations: exact E[x_i x_j] of any pairs of a model file."""

from __future__ import annotations

from argparse import Namespace

from isingmap.cli import model_options, options, streams

DESCRIPTION = """\
Exact E[x_i x_j] (variables -1/+1) of pairs of variables, joined by an edge or not, with
the covariance E[x_i x_j] - E[x_i] E[x_j], as columns source, target, correlation,
covariance. All pairs, or those named with --pair."""
EXAMPLE = """\
example:
  isingmap correlations map/model.json --pair Reid McConnell
  isingmap correlations map/model.json -o all-pairs.csv"""
COLUMNS = ("source", "target", "correlation", "covariance")


def add_parser(commands) -> None:
    parser = options.add_command(
        commands,
        "correlations",
        run,
        text="exact correlations of any pairs of a model",
        description=DESCRIPTION,
        example=EXAMPLE,
    )
    model_options.add_model_options(parser)
    parser.add_argument("--pair", nargs=2, action="append", metavar=("NAME", "NAME"), help="may be given several times")
    model_options.add_table_options(parser, ",".join(COLUMNS))


def run(arguments: Namespace) -> int:
    import numpy as np

    from isingmap.data.table import counted

    model_options.check_table(arguments)
    model = model_options.read_model(arguments).model
    pairs = np.stack(np.triu_indices(model.n_spins, 1), axis=1) if arguments.pair is None else arguments.pair
    values = model.correlations() if arguments.pair is None else model.correlations(pairs)
    if arguments.pair is None:
        values = values[pairs[:, 0], pairs[:, 1]]
        pairs = [(model.names[i], model.names[j]) for i, j in pairs.tolist()]
    mean = dict(zip(model.names, model.magnetizations().tolist(), strict=True))
    rows = [(a, b, c, c - mean[a] * mean[b]) for (a, b), c in zip(pairs, values.tolist(), strict=True)]
    if arguments.output is not None:
        model_options.write_table(arguments, COLUMNS, rows)
        print(
            f"{counted(len(rows), 'pair')} in {model_options.shown(arguments.output)}",
            file=streams.beside(arguments.output),
        )
    else:
        print("\t".join(COLUMNS))
        for a, b, correlation, covariance in rows:
            print(f"{model_options.shown(a)}\t{model_options.shown(b)}\t{correlation:+.6f}\t{covariance:+.6f}")
    return 0
