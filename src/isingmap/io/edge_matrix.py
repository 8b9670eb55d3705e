"""A square matrix of couplings, with names above and beside it, as a list of edges."""

from __future__ import annotations

from isingmap.files.csv_file import unguarded
from isingmap.files.number_text import number
from isingmap.io.delimited import Records

Edge = tuple[int, str, str, float]  # line, source, target, coupling


def edges_of_matrix(records: Records) -> list[Edge] | None:
    """The pairs with a number other than 0; None if the names above and beside are not the same, so it is no matrix.

    Raises
    ------
    FileFormatError
        If a cell is no number, the matrix is not symmetric, or its diagonal not 0.
    """
    above = [unguarded(cell.strip()) for cell in records.rows[0]]
    beside = [unguarded(row[0].strip()) for row in records.rows[1:]]
    if not beside or above[-len(beside) :] != beside or len(above) - len(beside) not in (0, 1):
        return None
    if any(len(row) != len(beside) + 1 for row in records.rows[1:]) or len(set(beside)) < len(beside):
        return None
    edges = []
    rows = [[_number(records, k, cell) for cell in row[1:]] for k, row in enumerate(records.rows[1:], 1)]
    for i, name in enumerate(beside):
        if rows[i][i] != 0:
            raise records.fail(
                f"the diagonal of the matrix holds {rows[i][i]:g} at {name!r}; expected 0. Fields go into a table of "
                "nodes (name,field)"
            )
        for j in range(i + 1, len(beside)):
            if rows[i][j] != rows[j][i]:
                raise records.fail(
                    f"the matrix is not symmetric: {rows[i][j]:g} and {rows[j][i]:g} for {name!r} and {beside[j]!r}"
                )
            if rows[i][j] != 0:
                edges.append((records.lines[i + 1], name, beside[j], rows[i][j]))
    if not edges:
        raise records.fail("the matrix holds no coupling other than 0")
    return edges


def _number(records: Records, row: int, cell: str) -> float:
    value = number(cell)
    if value is None:
        raise records.fail(f"line {records.lines[row]}: expected a number in the matrix, got {cell[:60]!r}")
    return value
