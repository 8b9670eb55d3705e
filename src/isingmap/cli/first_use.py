"""The first use: what every fit needs is compiled on all processors, instead of one function after the other.

Only commands do this, since a library that starts processes of its own accord surprises its users.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any, get_type_hints

from isingmap.compiled import is_kept
from isingmap.inference.elimination.clique_tree import CliqueTables
from isingmap.interruption import deaf_processes, guest
from isingmap.progress import entitle, progress_bar

# A process takes a second to start and 200 MB.
MOST_PROCESSES = 8
# Fewer are compiled sooner than processes start.
FEWEST_KERNELS = 4
NUMBERS, PAIRS, FLAGS, REALS = "int64[::1]", "int64[:, ::1]", "bool[::1]", "float64[::1]"
# The kernels of a fit of the family "planar" with its picture, in the order in which they are begun, and what they are
# called with: "tables" is a `CliqueTables`. Those that others contain come first, then those that take longest.
KERNELS: dict[str, tuple[str, ...]] = {
    "inference.elimination.upward.sweep_up": ("tables", REALS, REALS, "int64", REALS, REALS),
    "inference.elimination.downward.sweep_down": ("tables", REALS, "float64[:, ::1]"),
    "likelihood.fielded_refit.climb": (
        "tables",
        *(NUMBERS, NUMBERS, REALS, REALS, REALS),
        *("float64[::1, :]", "float64", REALS, "float64"),
    ),
    "planar.planarity.embed_kernel": ("int64", PAIRS),
    "inference.elimination.layout.laid_out": (NUMBERS, "bool[:, ::1]", PAIRS),
    "likelihood.existence._first_bad_edge": ("int64", PAIRS, REALS, NUMBERS, NUMBERS),
    "inference.elimination.order._eliminated": ("int64", PAIRS, "int64", "float64"),
    "planar.drawing.segment_crossings._suspects": ("float64[:, ::1]", PAIRS),
    "planar.crossed_edges._from_node": ("int64", *4 * [NUMBERS], REALS),
    "planar.crossed_edges._all_costs": ("int64", *4 * [NUMBERS], REALS),
    "likelihood.existence._closing_slack": (*3 * ["int64"], "float64", PAIRS, REALS, *3 * [NUMBERS]),
    "likelihood.existence._closing_slacks": ("int64", PAIRS, REALS, PAIRS, REALS, NUMBERS, NUMBERS),
    "planar.cofacial.blocked_pairs": ("int64", PAIRS, "bool[:, ::1]"),
    "planar.planarity.is_planar_kernel": ("int64", PAIRS),
    "planar.blocks.block_labels": ("int64", PAIRS),
    "planar.blocks.attachment": ("int64", PAIRS, FLAGS, FLAGS),
    "planar.blocks.component_labels": ("int64", PAIRS),
    "planar.cofacial._join_corners": (NUMBERS, NUMBERS, "bool[:, ::1]"),
    "planar.embedding.orbits": (NUMBERS,),
    "planar.incidence.incidence": ("int64", PAIRS),
    "structure.state.correlations._meet": ("float64[:, ::1]", NUMBERS, NUMBERS, "float64[:, ::1]"),
    "data.pair_counts._pack": ("int8[:, ::1]", "uint8[:, ::1]", "uint8[:, ::1]"),
    "data.pair_counts._n_set": ("uint64[:, ::1]", "int64"),
    "data.pair_counts._count_complete": ("uint64[:, ::1]", "int64", "int64", "int64[:, :, ::1]"),
}


def compile_ahead(*, verbose: bool) -> None:
    """Compile the kernels of a fit, if this is the first use; without a second processor that has to wait."""
    missing = [name for name in KERNELS if not is_kept(kernel_of(name))]
    if len(missing) < FEWEST_KERNELS:
        return
    from joblib import cpu_count

    n_processes = min(cpu_count(), MOST_PROCESSES, len(missing))
    if n_processes > 1:
        _compile_side_by_side(missing, n_processes, verbose)


def _compile_side_by_side(names: list[str], n_processes: int, verbose: bool) -> None:
    from concurrent.futures.process import BrokenProcessPool

    from joblib import Parallel, delayed
    from joblib.externals.loky import get_reusable_executor
    from numba.core.errors import NumbaError

    workers = Parallel(n_jobs=n_processes, return_as="generator_unordered")
    with progress_bar("functions", enabled=verbose) as progress:
        if progress is not None:
            entitle("compiling, only now")
            progress(0, len(names))
        try:
            with deaf_processes():
                arriving = workers(delayed(_compile)(name, os.getpid()) for name in names)
            for done, _ in enumerate(arriving, 1):
                if progress is not None:
                    progress(done, len(names))
        except (BrokenProcessPool, NumbaError):
            return  # what lacks is compiled when it is called
        finally:
            get_reusable_executor().shutdown(wait=False)


def _compile(name: str, home: int) -> None:
    with guest(home):
        kernel_of(name).compile(signature_of(name))


def kernel_of(name: str) -> Any:
    """The kernel of a name in `KERNELS`."""
    module, function = name.rsplit(".", 1)
    return getattr(import_module(f"isingmap.{module}"), function)


def signature_of(name: str) -> tuple:
    """The numba types that it is called with."""
    return tuple(_type(argument) for argument in KERNELS[name])


def _type(argument: str) -> Any:
    from numba import types
    from numba.core.sigutils import normalize_signature

    if argument != "tables":
        return normalize_signature(f"void({argument})")[0][0]
    kinds = get_type_hints(CliqueTables).values()
    return types.NamedTuple([types.int64 if kind is int else types.int64[::1] for kind in kinds], CliqueTables)
