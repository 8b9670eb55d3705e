"""What a model is made from, checked: names, edges, couplings, fields. Messages say what is wrong and where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from isingmap.data.table import counted, listed
from isingmap.errors import ModelError

# Sums of many numbers of this size, times a few, stay far from the largest double.
LARGEST_NUMBER = 1e290


def check_free(fields: np.ndarray, free_fields: np.ndarray, names: tuple[str, ...]) -> None:
    """Only fields that are free may differ from 0.

    Raises
    ------
    ModelError
    """
    wrong = np.flatnonzero((fields != 0) & ~free_fields)
    if wrong.size:
        raise ModelError(f"the field of {names[wrong[0]]} is not free but not zero; set it to 0 or make it free")


def names_of(edges, fields, names, n_spins) -> tuple[tuple[str, ...], int]:
    """Names and number of spins from whichever of the arguments tells them.

    Raises
    ------
    ModelError
        When none does, or they contradict each other.
    """
    if names is None and n_spins is None:
        if fields is not None:
            n_spins = len(fields)
        else:
            array = np.asarray(edges)
            if array.dtype.kind in "OUS":
                raise ModelError("edges between names need names=, the list of all spins in order")
            n_spins = int(array.max()) + 1 if array.size else 0
    if names is None:
        names = tuple(f"x{k + 1}" for k in range(n_spins))
    names = tuple(str(name) for name in names)
    if n_spins is not None and n_spins != len(names):
        raise ModelError(f"{counted(len(names), 'name')} for n_spins={n_spins}; give one name for each spin")
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        raise ModelError(f"names must be unique; repeated: {', '.join(repeated[:10])}")
    if not names:
        raise ModelError("a model needs at least one spin; give n_spins=, names= or at least one edge")
    return names, len(names)


def indices_of(pairs, names: tuple[str, ...]) -> np.ndarray:
    """Pairs of numbers or names as an (k, 2) integer array.

    Raises
    ------
    ModelError
        For an unknown name, or what is neither a name nor a whole number.
    """
    array = np.asarray(pairs)
    if array.dtype.kind in "OUS":
        position = {name: k for k, name in enumerate(names)}
        unknown = sorted({str(name) for name in array.reshape(-1).tolist() if str(name) not in position})
        if unknown:
            shown = listed([repr(name) for name in unknown])
            raise ModelError(f"the model has no variable {shown}; its variables are {listed(names)}")
        array = np.vectorize(lambda name: position[str(name)], otypes=[np.int64])(array)
    if array.size and array.dtype.kind not in "iu":
        raise ModelError(f"pairs must be integers or names, got {array.dtype}")
    return array.astype(np.int64).reshape(-1, 2) if array.size == 0 else array.astype(np.int64)


def vector_of(values, size: int, what: str, meaning: str, label: Callable[[int], str] = lambda k: "") -> np.ndarray:
    """A new array of so many finite floats, whose sums stay finite; `label` tells whose number k is.

    Raises
    ------
    ModelError
    """
    try:
        given = np.asarray(values)
        array = np.array(values, dtype=float) if given.dtype.kind != "c" else None
    except (TypeError, ValueError):
        array = None
    if array is None:
        raise ModelError(f"{what} must be real numbers, {meaning}; got {values!r:.80}")
    if array.shape != (size,):
        raise ModelError(f"{what} must have shape ({size},), {meaning}; got {array.shape}")
    if not np.isfinite(array).all():
        k = int(np.flatnonzero(~np.isfinite(array))[0])
        raise ModelError(f"{what}[{k}]{label(k)} is {array[k]}; {what} must be finite numbers")
    if np.abs(array).max(initial=0.0) > LARGEST_NUMBER:
        k = int(np.argmax(np.abs(array)))
        raise ModelError(
            f"{what}[{k}]{label(k)} is {array[k]}; sums of numbers above {LARGEST_NUMBER:g} overflow. Give a smaller "
            "number: far smaller ones do what infinitely large ones would"
        )
    return array


def generator_of(rng) -> np.random.Generator:
    """The generator of a seed, or the generator itself.

    Raises
    ------
    ModelError
        For anything else.
    """
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise ModelError(f"rng must be a whole number of 0 or more, or a NumPy generator; got {rng!r}") from None


def configurations_of(spins, names: Sequence[str]) -> np.ndarray:
    """Configurations as numbers, (n_samples, n_spins) float64.

    Raises
    ------
    ModelError
        For the wrong shape, or other values than -1 and +1.
    """
    x = np.atleast_2d(np.asarray(spins))
    if x.ndim != 2 or x.shape[1] != len(names):
        raise ModelError(f"spins must have shape (n_samples, {len(names)}), got {np.shape(spins)}")
    wrong = ~np.isin(x, (-1, 1))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ModelError(
            f"spins must be -1 or +1; cells that are not: {int(wrong.sum())}, the first in row {row + 1}, column "
            f"{names[column]}: {x[row, column]}. Convert 0/1 data with 2 * x - 1"
        )
    return x.astype(float)
