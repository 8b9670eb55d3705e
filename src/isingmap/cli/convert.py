"""isingmap convert: a model file from one format to another."""

from __future__ import annotations

from argparse import Namespace

from isingmap.cli import model_options, options

EXAMPLE = """\
example:
  isingmap convert problem.bqpjson problem.uai
  isingmap convert map/model.json map.coo --to-domain boolean"""


def add_parser(commands) -> None:
    parser = options.add_command(
        commands,
        "convert",
        run,
        text="convert a model file: isingmap JSON, bqpjson, COO, UAI, GraphML, edge list",
        description="Convert a model file. Signs and 0/1 variables are taken care of; what the new format cannot "
        "hold is said in a warning.",
        example=EXAMPLE,
    )
    model_options.add_model_options(parser)
    parser.add_argument("output", metavar="OUT", help="the new file; its name tells the format")
    parser.add_argument(
        "--to", choices=model_options.FORMATS, metavar="FORMAT", help="format of OUT, if its name does not tell"
    )
    parser.add_argument(
        "--to-domain",
        choices=model_options.DOMAINS,
        help="variables of OUT in bqpjson and COO: -1/+1 or 0/1 (default: as in MODEL)",
    )
    parser.add_argument("--force", action="store_true", help="replace an existing OUT")
    options.add_debug_option(parser)


def run(arguments: Namespace) -> int:
    from isingmap.io.model_file import companion, write_model_file

    beside = companion(arguments.output, arguments.to)
    _refuse_taken([arguments.output, *([beside] if beside else [])], arguments.force)
    file = model_options.read_model(arguments)
    write_model_file(file, arguments.output, arguments.to, domain=arguments.to_domain)
    for note in file.notes:
        print(note)
    print(f"{file.model!r} in {arguments.output}" + (f" and {beside}" if beside else ""))
    return 0


def _refuse_taken(paths, force: bool) -> None:
    """Before any work, and also for the second file that some formats need."""
    from pathlib import Path

    from isingmap.errors import OutputExistsError

    for path in map(Path, paths):
        if path.is_dir():
            raise OutputExistsError(f"{path} is a folder; give the name of a file")
        if path.exists() and not force:
            raise OutputExistsError(f"the file {path} exists and was not overwritten; choose another name, or --force")
