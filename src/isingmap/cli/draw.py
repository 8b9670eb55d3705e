"""isingmap draw: the picture of a model.json again, in another form, with another title or in other places."""

from __future__ import annotations

from argparse import Namespace

from isingmap.cli import model_options, options, streams

DESCRIPTION = """\
Draw the map of a model.json again: every variable in its place, in the colours of its
group. The ending of the file chooses the form: .svg, .png or .pdf."""
EXAMPLE = """\
example:
  isingmap draw survey-map/model.json -o survey-map.pdf
  isingmap draw second/model.json --places first/model.json -o second.svg"""


def add_parser(commands) -> None:
    parser = options.add_command(
        commands,
        "draw",
        run,
        text="draw the map of a model.json again, as SVG, PNG or PDF",
        description=DESCRIPTION,
        example=EXAMPLE,
    )
    parser.add_argument(
        "model", metavar="MODEL", type=streams.file_to_read, help="a model.json; other formats: convert them first"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=streams.file_to_write,
        required=True,
        help="ends in .svg, .png or .pdf; - is standard output, an SVG",
    )
    options.add_picture_options(parser)
    parser.add_argument("--force", action="store_true", help="replace an existing FILE")
    options.add_debug_option(parser)


def run(arguments: Namespace) -> int:
    from pathlib import Path

    from isingmap.errors import FileFormatError, ModelError, NonPlanarError
    from isingmap.files.whole_file import check_file
    from isingmap.printable import printable
    from isingmap.report.saved_map import draw_saved_map, read_positions

    model_options.check_no_folder(arguments.model)
    check_file(arguments.output, force=arguments.force)
    model_options.check_apart(arguments.output, arguments.model, arguments.places)
    places = None if arguments.places is None else read_positions(arguments.places)
    Path(arguments.output).parent.mkdir(parents=True, exist_ok=True)
    try:
        draw_saved_map(arguments.model, arguments.output, title=arguments.title, places=places)
    except FileFormatError as error:
        if str(arguments.model).endswith(".json"):
            raise
        raise FileFormatError(
            f"{error}. draw takes a model.json; a model of another format is turned into one by "
            "isingmap convert MODEL model.json"
        ) from None
    except NonPlanarError as error:
        raise ModelError(
            f"{error}. Or draw it with crossings: in Gephi, after isingmap convert MODEL model.gexf, or in Python with "
            'plot_map(model, positions=positions_of(model, "kamada-kawai")) of isingmap.plots'
        ) from None
    print(
        f"the map of {printable(arguments.model)} in {printable(arguments.output)}",
        file=streams.beside(arguments.output),
    )
    return 0
