"""isingmap sample: independent exact samples of a model file."""

from __future__ import annotations

from argparse import Namespace

from isingmap.cli import model_options, options, streams

DESCRIPTION = """\
Independent samples from the exact distribution of a model; nothing to burn in, nothing
correlated. The same seed gives the same samples."""
EXAMPLE = """\
example:
  isingmap sample map/model.json -n 1000 --seed 1 -o samples.csv"""


def add_parser(commands) -> None:
    parser = options.add_command(
        commands,
        "sample",
        run,
        text="independent exact samples of a model",
        description=DESCRIPTION,
        example=EXAMPLE,
    )
    model_options.add_model_options(parser)
    parser.add_argument("-n", "--n-samples", type=options.count, required=True, metavar="N", help="rows to draw")
    parser.add_argument("--seed", type=options.count, metavar="S", help="default: drawn and printed")
    model_options.add_table_options(parser, "a row for each sample, in the values of the file", required=True)


def run(arguments: Namespace) -> int:
    import secrets

    from isingmap.data.table import counted

    model_options.check_table(arguments)
    file = model_options.read_model(arguments)
    seed = secrets.randbits(32) if arguments.seed is None else arguments.seed
    samples = model_options.in_domain(file.model.sample(arguments.n_samples, rng=seed), file)
    model_options.write_table(arguments, file.model.names, samples.tolist())
    where = streams.beside(arguments.output)
    print(
        f"seed {seed}\n{counted(len(samples), 'independent exact sample')} in {model_options.shown(arguments.output)}",
        file=where,
    )
    return 0
