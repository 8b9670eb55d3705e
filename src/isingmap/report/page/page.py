"""The door: the report on a folder as one HTML file, whatever kind of results the folder holds."""

from __future__ import annotations

from pathlib import Path

from isingmap.errors import FileFormatError, OutputExistsError
from isingmap.files.whole_file import is_stream, write_text
from isingmap.report.kinds import COMPARISON, KINDS, MODEL
from isingmap.report.page import comparison_page, fit_page
from isingmap.report.page.comparison_folder import read_comparison
from isingmap.report.page.folder import read_results
from isingmap.report.page.groups_page import GROUPS, groups_page_of
from isingmap.report.page.rendering import REPORT, IsThere


def write_page(folder: Path, path: Path, *, is_complete: bool = False) -> list[str]:
    """Read the files of results in a folder, and write the report on them.

    Returns
    -------
    list of str
        Pages that the report should lead to and that are not there, seen from the folder; nobody looks for them where
        the results are being written (`is_complete`).

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
    absent = []

    def is_there(name: str) -> bool:
        found = is_complete or (folder / name / REPORT).is_file()
        if not found:
            absent.append(f"{name}/{REPORT}")
        return found

    write_text(path, _page_of(folder, is_there if path.parent.resolve() == folder.resolve() else None))
    return absent


def _page_of(folder: Path, is_there: IsThere | None) -> str:
    _refuse_two_kinds(folder)
    if (folder / MODEL).is_file():
        return fit_page.page_of(read_results(folder))
    if (folder / COMPARISON).is_file():
        return comparison_page.page_of(read_comparison(folder), is_there)
    if (folder / GROUPS).is_file():
        return groups_page_of(folder, is_there)
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
