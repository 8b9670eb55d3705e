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
        Of the number of the line and the reason, such as an unbalanced quote.
    """
    if separator == " ":
        lines = (re.sub(r"[ \t]+(?=[\r\n]*\Z)", "", line).replace("\t", " ") for line in lines)
    reader = csv.reader(lines, delimiter=separator, strict=True, skipinitialspace=True)
    try:
        for row in reader:
            if row and (len(row) > 1 or row[0].strip()):
                yield row, reader.line_num
    except (csv.Error, ValueError) as error:
        raise csv.Error(max(reader.line_num, 1), str(error)) from None
