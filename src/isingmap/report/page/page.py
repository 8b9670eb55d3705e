"""The door: the report on a folder as one HTML file, whatever kind of results the folder holds."""

from __future__ import annotations

from pathlib import Path

from isingmap.errors import FileFormatError, OutputExistsError
from isingmap.files.whole_file import is_stream, write_text
from isingmap.report.kinds import KINDS
from isingmap.report.page import comparison_page, fit_page
from isingmap.report.page.comparison_folder import COMPARISON, read_comparison
from isingmap.report.page.folder import MODEL, read_results
from isingmap.report.page.groups_page import GROUPS, groups_page_of


def write_page(folder: Path, path: Path) -> None:
    """Read the files of results in a folder, and write the report on them.

    Raises
    ------
    FileFormatError
        If files are missing, damaged, or of different fits or comparisons.
    ModelError
        If the positions lack a variable.
    OutputExistsError
        If the file is a link, which could lead out of the folder.
    OSError
        If the file cannot be written.
    """
    if path.is_symlink() and not is_stream(path):  # standard output is a link on many systems
        raise OutputExistsError(f"{path} is a link and was not followed; remove it, or choose another name")
    write_text(path, _page_of(folder, is_beside=path.parent.resolve() == folder.resolve()))


def _page_of(folder: Path, *, is_beside: bool) -> str:
    _refuse_two_kinds(folder)
    if (folder / MODEL).is_file():
        return fit_page.page_of(read_results(folder))
    if (folder / COMPARISON).is_file():
        return comparison_page.page_of(read_comparison(folder), with_links=is_beside)
    if (folder / GROUPS).is_file():
        return groups_page_of(folder, with_links=is_beside)
    raise FileFormatError(
        f"{folder} has no {MODEL} and no {COMPARISON}; give a folder of results, as isingmap fit, voteview, demo, "
        "stability and compare write it"
    )


def _refuse_two_kinds(folder: Path) -> None:
    held = [f"{what} ({name})" for name, what in KINDS.items() if (folder / name).is_file()]
    if len(held) > 1:
        raise FileFormatError(
            f"{folder} holds {' and '.join(held)}, and a report is of one of them; move the files of one into a "
            "folder of its own"
        )
