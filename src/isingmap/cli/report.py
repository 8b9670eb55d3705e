"""isingmap report: the HTML report of a folder of results, from its files."""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace

from isingmap.cli import options, streams

DESCRIPTION = """\
Write the HTML report of a folder of results again: one file that opens in every
browser, without a network, and can be sent to others. It is made of the files in the
folder (model.json, the tables, the pictures), so folders of older versions can have one.
A comparison of groups (compare, fit --split-by) has a report of its own."""
EXAMPLE = """\
example:
  isingmap report survey-map
  isingmap report survey-map -o for-mary.html"""


def add_parser(commands) -> None:
    parser = options.add_command(
        commands,
        "report",
        run,
        text="write the HTML report of a folder of results",
        description=DESCRIPTION,
        example=EXAMPLE,
    )
    parser.add_argument(
        "folder", metavar="DIR", help="a folder of results, as fit, voteview, demo, stability or compare wrote it"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=_page_to_write,
        help="ends in .html or .htm; - is standard output. Default: DIR/report.html, which is replaced",
    )
    parser.add_argument("--force", action="store_true", help="replace an existing FILE")
    options.add_debug_option(parser)


def _page_to_write(text: str) -> str:
    path = streams.file_to_write(text)
    if text != "-" and not path.lower().endswith((".html", ".htm")):
        raise ArgumentTypeError(f"must end in .html or .htm, got {text!r}")
    return path


def run(arguments: Namespace) -> int:
    import sys
    from pathlib import Path

    from isingmap.errors import FileFormatError
    from isingmap.files.whole_file import check_file
    from isingmap.printable import printable
    from isingmap.report.page.page import write_page
    from isingmap.report.page.rendering import REPORT

    folder = Path(arguments.folder)
    if folder.is_file():
        raise FileFormatError(f"{folder} is a file; give the folder of results that it is in, {folder.parent}")
    path = folder / REPORT if arguments.output is None else Path(arguments.output)
    if arguments.output is not None:
        check_file(path, force=arguments.force)
        path.parent.mkdir(parents=True, exist_ok=True)
    for page in write_page(folder, path):
        print(f"note: {printable(folder / page)} is not there, and the report does not lead to it", file=sys.stderr)
    print(f"the report of {printable(folder)} in {printable(path)}", file=streams.beside(str(path)))
    return 0
