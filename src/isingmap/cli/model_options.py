"""Options of the commands that read a model file of any format, and what they say about it."""

from __future__ import annotations

import argparse

FORMAT_HELP = (
    "isingmap (.json), bqpjson, edges (edge list, .csv), graphml, uai or coo (.coo, .qubo); default: from the "
    "content, else from the name"
)
FORMATS = ("isingmap", "bqpjson", "edges", "graphml", "uai", "coo")
DOMAINS = ("spin", "boolean")


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """The model file and how to read it."""
    parser.add_argument("model", metavar="MODEL", help="a model file; docs/formats.md lists the formats")
    parser.add_argument("--format", choices=FORMATS, metavar="FORMAT", help=FORMAT_HELP)
    parser.add_argument("--domain", choices=DOMAINS, help="variables of a COO file that does not say: -1/+1 or 0/1")


def read_model(arguments: argparse.Namespace):
    """The ModelFile that the options name."""
    from isingmap.io.model_file import read_model_file

    return read_model_file(arguments.model, arguments.format, domain=arguments.domain)
