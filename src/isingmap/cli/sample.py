"""isingmap sample: independent exact samples of a model file."""

from __future__ import annotations

from argparse import Namespace

from isingmap.cli import model_options, options, streams

DESCRIPTION = """\
Independent samples from the exact distribution of a model; nothing to burn in, nothing
correlated. The same seed gives the same samples. They are written in the labels of the
data that the model was learned from, if its file tells them, so that isingmap check,
predict and fit read them as they read those data; --domain spin writes -1 and +1."""
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
    model_options.add_table_options(parser, "a row for each sample", required=True)


def _in_labels(spins, file, domain: str | None):
    """The samples as they are written, and a sentence about their values."""
    import numpy as np

    labels = file.record.get("fit", {}).get("labels")
    if domain is None and labels:
        negative, positive = np.array(labels, dtype=object).T
        pairs = [f"{minus} is -1, {plus} is +1" for minus, plus in dict.fromkeys(map(tuple, labels))]
        told = pairs[0] if len(pairs) == 1 else f"in the first column {pairs[0]}"
        return np.where(spins > 0, positive, negative), f"in the labels of the data of the fit: {told}"
    domain = domain or file.domain
    values = "0 is -1, 1 is +1" if domain == "boolean" else "-1 and +1"
    return (spins + 1) // 2 if domain == "boolean" else spins, f"values: {values}"


def run(arguments: Namespace) -> int:
    import secrets

    from isingmap.data.table import counted

    model_options.check_table(arguments)
    file = model_options.read_model(arguments)
    seed = secrets.randbits(32) if arguments.seed is None else arguments.seed
    spins = file.model.sample(arguments.n_samples, rng=seed)
    samples, values = _in_labels(spins, file, arguments.domain)
    model_options.write_table(arguments, file.model.names, samples.tolist())
    where = streams.beside(arguments.output)
    for note in (*file.notes, values):
        print(model_options.shown(note), file=where)
    print(
        f"seed {seed}\n{counted(len(samples), 'independent exact sample')} in {model_options.shown(arguments.output)}",
        file=where,
    )
    return 0
