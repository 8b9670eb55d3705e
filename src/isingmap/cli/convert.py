"""isingmap convert: a model file from one format to another."""

from __future__ import annotations

from argparse import Namespace

from isingmap.cli import model_options, options, streams
from isingmap.io.domains import DOMAINS
from isingmap.io.formats import FORMATS

EXAMPLE = """\
example:
  isingmap convert problem.bqpjson problem.uai
  isingmap convert map/model.json map.coo --to-domain boolean
  isingmap convert map/model.json map.gexf        for Gephi; map.cyjs for Cytoscape
  isingmap convert map/model.json map.matrix.csv  couplings as a matrix with names"""


def add_parser(commands) -> None:
    parser = options.add_command(
        commands,
        "convert",
        run,
        text=f"convert a model file: {model_options.titles(FORMATS.values())}",
        description="Convert a model file. Signs and 0/1 variables are taken care of; what the new format cannot "
        "hold is said in a warning.",
        example=EXAMPLE,
    )
    model_options.add_model_options(parser)
    parser.add_argument(
        "output",
        metavar="OUT",
        type=streams.file_to_write,
        help="the new file, whose name tells the format, or - for standard output",
    )
    parser.add_argument("--to", choices=FORMATS, metavar="FORMAT", help="format of OUT, if its name does not tell")
    choosing = model_options.titles(format for format in FORMATS.values() if format.writes_domain)
    parser.add_argument(
        "--to-domain", choices=DOMAINS, help=f"variables of OUT in {choosing}: -1/+1 or 0/1 (default: as in MODEL)"
    )
    parser.add_argument("--force", action="store_true", help="replace an existing OUT")
    options.add_debug_option(parser)


def run(arguments: Namespace) -> int:
    from pathlib import Path

    from isingmap.errors import FileFormatError
    from isingmap.files.whole_file import check_file
    from isingmap.io.model_file import companion, format_to_write, left_behind, write_model_file
    from isingmap.io.results_beside import with_results

    try:
        beside = companion(arguments.output, arguments.to)
    except FileFormatError as error:
        # What is format= of the library is --format for the file that is read, and --to for this one.
        raise FileFormatError(str(error).replace("format=", "--to ")) from None
    for path in (arguments.output, beside):
        if path is not None:
            check_file(path, force=arguments.force)
    file = model_options.read_model(arguments)
    if "results" in format_to_write(arguments.output, arguments.to).keeps:
        file = with_results(file, arguments.model)
    Path(arguments.output).parent.mkdir(parents=True, exist_ok=True)
    write_model_file(file, arguments.output, arguments.to, domain=arguments.to_domain)
    where = streams.beside(arguments.output)
    for note in (*file.notes, *left_behind(file, arguments.output, arguments.to)):
        print(model_options.shown(note), file=where)
    print(
        f"{file.model!r} in {model_options.shown(arguments.output)}"
        + (f" and {model_options.shown(str(beside))}" if beside else ""),
        file=where,
    )
    return 0
