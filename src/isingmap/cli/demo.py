"""isingmap demo: the planar map of the 106th US Senate, from data that ship with the package."""

from __future__ import annotations

from argparse import Namespace

from isingmap.cli import options

DESCRIPTION = """\
Learn the planar map of the 106th US Senate (1999-2000) from data that ship with
isingmap; no network is needed. Senators who voted in at least 3/4 of the 672 roll calls
are kept; votes not cast are read as nay (the rules of the paper). Takes some
seconds, the first run up to half a minute, because it compiles."""
EXAMPLE = """\
example:
  isingmap demo -o demo
  then open demo/report.html in a browser"""
PARTICIPATION = 0.75


def add_parser(commands) -> None:
    parser = options.add_command(
        commands,
        "demo",
        run,
        text="learn the map of the 106th US Senate, offline",
        description=DESCRIPTION,
        example=EXAMPLE,
    )
    options.add_learning_options(parser, "demo")
    options.add_output_options(parser, default="isingmap-demo")


def run(arguments: Namespace) -> int:
    from isingmap.cli.learning import learn_and_write
    from isingmap.report.results import check_results_folder

    check_results_folder(arguments.output, force=arguments.force)
    return learn_and_write(_frequent_voters(), arguments, missing="minus", title="The 106th US Senate, 1999-2000")


def _frequent_voters():
    """The Senate without those who held a seat for a part of the time or voted rarely."""
    from isingmap.datasets.senate106 import load_senate106

    table = load_senate106()
    shares = (table.spins != 0).mean(axis=0).tolist()
    kept = [name for name, share in zip(table.names, shares, strict=True) if share >= PARTICIPATION]
    out = [name for name in table.names if name not in kept]
    note = f"Left out {len(out)} who voted in less than {PARTICIPATION:.0%} of the roll calls: {', '.join(out)}."
    return table.select(kept).with_notes(note)
