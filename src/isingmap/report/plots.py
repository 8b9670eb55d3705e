"""Pictures of a model: the planar map, as SVG, PNG and PDF.

The same input gives the same bytes, matplotlib's global state is left as it was, and a file appears whole or
not at all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from isingmap.errors import FileFormatError, ModelError
from isingmap.files.whole_file import is_stream, written_whole
from isingmap.learning.learned_map import check_groups, check_places
from isingmap.planar.drawing.layout import named_layout
from isingmap.planar.embedding import as_simple_edges
from isingmap.report.fonts import weights_unsaid, with_all_letters
from isingmap.report.map_figure import map_figure

STYLE = {
    "svg.hashsalt": "isingmap",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,  # letters that can be searched and edited
    "text.parse_math": False,
    "font.family": "DejaVu Sans",
}
DOTS_PER_INCH = 150
# What keeps the date out of a file, by its ending: the same input gives the same bytes.
UNDATED: dict[str, dict | None] = {".svg": {"Date": None}, ".png": None, ".pdf": {"CreationDate": None}}


def draw_map(
    path_or_paths,
    *,
    names: Sequence[str],
    edges,
    couplings,
    fields=None,
    groups: Sequence | None = None,
    positions=None,
    layout: str = "planar",
    title: str | None = None,
    legend: bool = True,
) -> dict[str, tuple[float, float]]:
    """Draw a model as a map and write it to one or several files.

    Parameters
    ----------
    path_or_paths : path or sequence of paths
        Ending in .svg, .png or .pdf. Existing files are replaced.
    names : (n_spins,) sequence of str
        Shown beside the nodes; longer than 24 letters they are cut in the picture, so that
        all stay different.
    edges : (n_edges, 2) int array
    couplings : (n_edges,) float array
        Sign shown by colour and dashes, strength by width.
    fields : (n_spins,) float array, optional
        Shown by arcs around the nodes: a turn clockwise is a field without bound, the other way below 0.
    groups : (n_spins,) sequence, optional
        Shown by colour and shape; None or "" for a node without a group.
    positions : mapping name -> (x, y) or (n_spins, 2) array, optional
        Use these places, for instance those returned for another network on the same variables.
    layout : {"planar", "kamada-kawai"}
        How to find places when `positions` is not given.
    title : str, optional
    legend : bool

    Returns
    -------
    dict
        Name -> (x, y) as used, to give as `positions` of another picture.

    Raises
    ------
    NonPlanarError
        From layout="planar": names a subdivision of K5 or K3,3.
    ModelError
        When names, edges, couplings, fields, groups or positions do not fit together.
    FileFormatError
        For another file ending.
    """
    paths = _checked_paths(path_or_paths)
    names = [str(name) for name in names]
    n = len(names)
    if len(set(names)) < n:
        raise ModelError("names must differ from each other, or positions could not be told by name")
    edges = as_simple_edges(edges, n)
    couplings = _numbers(couplings, len(edges), "couplings", "edge")
    fields = None if fields is None else _numbers(fields, n, "fields", "variable")
    groups = check_groups(None if groups is None else list(groups), n)
    frame, places = _places(names, edges, positions, layout)
    picture = {"fields": fields, "groups": groups, "title": title, "legend": legend}
    write_figure(paths, lambda: map_figure(names, edges, couplings, frame, places, **picture))
    return {name: (float(x), float(y)) for name, (x, y) in zip(names, places, strict=True)}


def _ending(path: Path) -> str:
    """What form of picture is written; a stream without one takes an SVG."""
    return path.suffix.lower() or (".svg" if is_stream(path) else "")


def _checked_paths(path_or_paths) -> list[Path]:
    single = isinstance(path_or_paths, str | os.PathLike)
    paths = [Path(path_or_paths)] if single else [Path(path) for path in path_or_paths]
    for path in paths:
        if _ending(path) not in UNDATED:
            raise FileFormatError(
                f"{path}: pictures are written as {', '.join(UNDATED)}; end the name with one of these"
            )
    return paths


def _numbers(values, length: int, what: str, of: str) -> np.ndarray:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (length,):
        raise ModelError(f"{what} must have shape ({length},), one for each {of}; got {array.shape}")
    if not np.isfinite(array).all():
        k = int(np.flatnonzero(~np.isfinite(array))[0])
        raise ModelError(f"{what}[{k}] is {array[k]}; its sign and strength cannot be drawn")
    return array


def _places(names: list[str], edges: np.ndarray, positions, layout: str) -> tuple[np.ndarray, np.ndarray]:
    """All places that must fit on the sheet, and those of the nodes."""
    if positions is None:
        found = named_layout(layout, len(names), edges, labels=names)
        return found, found
    if isinstance(positions, Mapping):
        check_places(positions, names)
        frame = np.array(list(positions.values()), dtype=np.float64).reshape(-1, 2)
        found = np.array([positions[name] for name in names], dtype=np.float64).reshape(-1, 2)
    else:
        frame = found = np.asarray(positions, dtype=np.float64)
    if found.shape != (len(names), 2) or not np.isfinite(frame).all():
        raise ModelError(f"positions must be {len(names)} finite pairs (x, y); got shape {found.shape}")
    return frame, found


def write_figure(paths: Sequence[Path], draw: Callable) -> None:
    """Draw once, write every file beside its place, then move all into place."""
    from matplotlib import style

    with ExitStack() as files, style.context(["default", STYLE]), weights_unsaid():
        figure = draw()
        files.enter_context(with_all_letters(figure))
        for path in paths:
            ending = _ending(path)
            stream = files.enter_context(written_whole(path))
            figure.savefig(stream, format=ending[1:], dpi=DOTS_PER_INCH, metadata=UNDATED[ending])
