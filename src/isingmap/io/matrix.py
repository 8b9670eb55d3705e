"""A square matrix of couplings as CSV, with names above and beside it, for R, MATLAB and spreadsheets."""

from __future__ import annotations

import warnings
from os import fspath

import numpy as np

from isingmap.errors import DataWarning, ModelError
from isingmap.files.csv_file import write_csv
from isingmap.io import edge_list
from isingmap.io.edge_list import check_names, nodes_path
from isingmap.io.model_content import FormatFunctions, ModelFile, ModelPath
from isingmap.model import IsingModel

MOST_VARIABLES = 5000  # 25 million cells, 100 MB


def write_matrix(model: IsingModel, path: ModelPath) -> None:
    """Write J, 0 where there is no edge, under and beside the names; the corner is `name`.

    Raises
    ------
    ModelError
        Above 5000 variables, or if a name would not be read back as it is.
    """
    check_names(model.names)
    n = model.n_spins
    if n > MOST_VARIABLES:
        raise ModelError(
            f"a matrix of {n:,} variables has {n * n:,} cells; at most {MOST_VARIABLES:,} variables are written. An "
            "edge list holds any number: end the name in .csv, but not in .matrix.csv"
        )
    matrix = np.zeros((n, n))
    ends = model.edges[:, 0], model.edges[:, 1]
    matrix[ends] = matrix[ends[::-1]] = model.couplings
    rows = zip(model.names, matrix.tolist(), strict=True)
    write_csv(path, ("name", *model.names), ((name, *row) for name, row in rows))


# --- the format -------------------------------------------------------------------------------------------


def _write(content: ModelFile, path: ModelPath, domain: str) -> None:
    model = content.model
    lost = [f"the offset {content.offset:.12g} of the energy"] if content.offset else []
    n_zero = int((model.couplings == 0).sum())
    lost += [f"that {n_zero} of the edges have coupling 0"] if n_zero else []
    if lost:
        warnings.warn(f"{fspath(path)}: a matrix cannot hold {' and '.join(lost)}; it is lost", DataWarning)
    rows = zip(model.names, model.fields.tolist(), strict=True)
    write_matrix(model, path)
    write_csv(nodes_path(path), ("name", "field"), rows)


FUNCTIONS = FormatFunctions(edge_list.FUNCTIONS.read, _write, companion=nodes_path)
