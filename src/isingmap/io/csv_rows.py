"""Rows of fields, as the csv module cuts them."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator


def csv_rows(lines: Iterable[str], separator: str) -> Iterator[tuple[list[str], int]]:
    """Each row that is not blank, with the number of the line on which it ends.

    Blanks in front of a field, which would hide its quotes, are left out. With " " those at the end of a line are, too.

    Raises
    ------
    csv.Error
        Of the number of a line and the reason. Of a quote that stays open it is the line in which the quote opens.
    """
    if separator == " ":
        lines = (re.sub(r"[ \t]+(?=[\r\n]*\Z)", "", line).replace("\t", " ") for line in lines)
    of_row: list[str] = []  # the lines of the row that is being read
    reader = csv.reader(_kept(lines, of_row), delimiter=separator, strict=True, skipinitialspace=True)
    try:
        for row in reader:
            of_row.clear()
            if row and (len(row) > 1 or row[0].strip()):
                yield row, reader.line_num
    except (csv.Error, ValueError) as error:
        opened = _line_of_open_quote(of_row)
        if opened is None:
            raise csv.Error(max(reader.line_num, 1), f"{error}. Is a quote unbalanced?") from None
        line = max(reader.line_num, 1) - len(of_row) + 1 + opened
        raise csv.Error(line, "a quote opens in this line and is not closed; close it, or delete it") from None


def _kept(lines: Iterable[str], kept: list[str]) -> Iterator[str]:
    for line in lines:
        kept.append(line)
        yield line


def _line_of_open_quote(lines: Iterable[str]) -> int | None:
    """Which of the lines of a row has the quote that is open at their end, if one is."""
    opened = None
    for k, line in enumerate(lines):
        if line.count('"') % 2:
            opened = k if opened is None else None
    return opened
