"""Maps drawn again from a model.json: every variable in its old place."""

from __future__ import annotations

from os import PathLike, fspath

from isingmap.errors import FileFormatError, ModelError
from isingmap.files.reading import each_read_once
from isingmap.files.strict_json import read_json_object, shown
from isingmap.learning.learned_map import Positions, check_groups
from isingmap.model import IsingModel
from isingmap.report.plots import draw_map


def read_positions(path: str | PathLike) -> dict[str, tuple[float, float]]:
    """Places of the variables, name -> (x, y), from a model.json of a folder of results.

    Raises
    ------
    FileFormatError
        If the file is not JSON, or holds no positions, or they are not pairs of numbers.
    """
    return positions_in(read_json_object(path), fspath(path))


def draw_saved_map(
    path: str | PathLike, path_or_paths, *, title: str | None = None, places: Positions | None = None
) -> Positions:
    """Draw the model of a model.json with its own title, groups and positions, as it was drawn when it was learned.

    Parameters
    ----------
    path : path-like
        A model file; if it holds no positions (`IsingModel.save` does not write any), they are found anew.
    path_or_paths : path or sequence of paths
        Pictures to write, ending in .svg, .png or .pdf. Existing files are replaced.
    title : str, optional
        In place of its own.
    places : mapping of name to (x, y), optional
        In place of its own, such as those of another map.

    Returns
    -------
    mapping of name to (x, y)
        To give as `positions` to `draw_map` or as `places` to `write_results`.

    Raises
    ------
    FileFormatError
        If the file is not a model, its groups do not fit the variables, or a picture has another ending.
    ModelError
        If its numbers do not make a model, or positions do not fit its variables.
    NonPlanarError
        If positions have to be found and the graph is not planar.
    """
    with each_read_once():
        model = IsingModel.load(path)
        document, where = read_json_object(path), fspath(path)
    fit = document.get("fit", {})
    if not isinstance(fit, dict):
        raise FileFormatError(f'{where}: expected an object under "fit", got {shown(fit)}')
    return draw_map(
        path_or_paths,
        names=model.names,
        edges=model.edges,
        couplings=model.couplings,
        fields=model.fields if model.free_fields.any() else None,
        groups=groups_of(fit, model.n_spins, where),
        positions=positions_in(document, where) if places is None and "positions" in document else places,
        title=str(fit.get("title", "")) or None if title is None else title,
    )


def positions_in(document: dict, where: str) -> dict[str, tuple[float, float]]:
    """The positions in a model document.

    Raises
    ------
    FileFormatError
    """
    found = document.get("positions")
    if not isinstance(found, dict) or not found:
        raise FileFormatError(
            f'{where}: expected {{name: [x, y]}} under "positions", got {shown(found)}. The model.json in a folder of '
            "results has them"
        )
    for name, place in found.items():
        if not isinstance(place, list) or len(place) != 2 or not all(map(_is_number, place)):
            raise FileFormatError(f"{where}: the position of {name!r} must be two numbers, got {shown(place)}")
    return {name: (float(x), float(y)) for name, (x, y) in found.items()}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def groups_of(fit: dict, n_spins: int, where: str) -> tuple[str, ...] | None:
    """The groups of the variables in what a model document tells of the fit.

    Raises
    ------
    FileFormatError
    """
    groups = fit.get("groups")
    if groups is not None and not isinstance(groups, list):
        raise FileFormatError(f'{where}: expected a list under "groups", got {shown(groups)}')
    try:
        return check_groups(groups, n_spins)
    except ModelError as error:
        raise FileFormatError(f"{where}: {error}") from None
