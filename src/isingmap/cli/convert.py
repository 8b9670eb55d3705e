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
    from isingmap.files.whole_file import check_file
    from isingmap.io.model_file import companion, write_model_file

    beside = companion(arguments.output, arguments.to)
    for path in (arguments.output, beside):
        if path is not None:
            check_file(path, force=arguments.force)
    file = model_options.read_model(arguments)
    write_model_file(file, arguments.output, arguments.to, domain=arguments.to_domain)
    for note in file.notes:
        print(note)
    print(f"{file.model!r} in {arguments.output}" + (f" and {beside}" if beside else ""))
    return 0
