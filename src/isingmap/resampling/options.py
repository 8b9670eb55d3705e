"""The settings of resampling: how rows are drawn, how often, and on how many processes. No NumPy here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from isingmap.errors import ModelError
from isingmap.option import Option, check_options, option, options_of

NONPARAMETRIC, PARAMETRIC, M_OUT_OF_N, CASE_DROPPING = "nonparametric", "parametric", "m-out-of-n", "case-dropping"
KINDS = {
    NONPARAMETRIC: "as many rows as there are, with replacement",
    PARAMETRIC: "as many rows as there are, exact samples of the fitted model",
    M_OUT_OF_N: "a share of the rows, without replacement; halves (share=0.5) come in pairs that complement each other",
    CASE_DROPPING: "all rows but a share, in ten steps from 0.05 to 0.75; says how many rows the map can lose",
}


@dataclass(frozen=True, kw_only=True)
class StabilityOptions:
    """How a fit is repeated on resampled rows; its seed is that of the fit.

    Raises
    ------
    ModelError
        Naming the setting, what it may be and what was given.
    """

    n_resamples: int = option(
        1000, "so many resamples, each with a search of its own", "whole", least=1, most=10**9, metavar="N"
    )
    kind: str = option(
        NONPARAMETRIC,
        f"how rows are drawn. {'; '.join(f'{kind}: {text}' for kind, text in KINDS.items())}",
        "choice",
        choices=tuple(KINDS),
    )
    share: float = option(
        0.5, "with kind=m-out-of-n: so large a share of the rows", "number", least=0.01, most=0.99, metavar="S"
    )
    first: int = option(
        0,
        "the number of the first resample; what a resample is depends on the seed and its number alone, so that one "
        "machine can take 0 to 499 and another first=500",
        "whole",
        least=0,
        most=10**9,
        metavar="K",
    )
    resamples: Any = option(
        None,
        "a file resamples.npz among the results of the same fit, or several: their resamples are taken over, "
        "and only what lacks is computed",
        "names",
        metavar="FILE",
    )
    n_jobs: int | None = option(
        None,
        "processes side by side, -1: as many as there are processors; in Python joblib.parallel_config may say where "
        "else, such as on threads or a Dask cluster. The results are the same in any case. By default 1",
        "whole",
        least=-1,
        metavar="N",
        shapes_result=False,
    )

    def __post_init__(self) -> None:
        check_options(self)
        if self.n_jobs == 0:
            raise ModelError("n_jobs must be 1 or more, or -1 for as many as there are processors, got 0")
        if self.share != 0.5 and self.kind != M_OUT_OF_N:
            raise ModelError(
                f'share={self.share:g} goes with kind="{M_OUT_OF_N}"; kind="{self.kind}" has no use for it'
            )


RESAMPLING: tuple[Option, ...] = tuple(options_of(StabilityOptions))
