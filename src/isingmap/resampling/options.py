"""The settings of resampling: how rows are drawn, how often, and on how many processes. No NumPy here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from isingmap.errors import ModelError
from isingmap.option import Option, check_jobs, check_options, jobs, option, options_of

NONPARAMETRIC, PARAMETRIC, M_OUT_OF_N, CASE_DROPPING = "nonparametric", "parametric", "m-out-of-n", "case-dropping"
PERMUTATION = "permutation"  # of rows between two groups; not a kind of resample
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
    n_jobs: int | None = jobs("resamples side by side")

    def __post_init__(self) -> None:
        check_options(self)
        check_jobs(self.n_jobs)
        if self.share != 0.5 and self.kind != M_OUT_OF_N:
            raise ModelError(
                f'share={self.share:g} goes with kind="{M_OUT_OF_N}"; kind="{self.kind}" has no use for it'
            )


@dataclass(frozen=True, kw_only=True)
class ComparisonOptions:
    """How rows are dealt out to two groups again and again; the seed is that of the fit.

    Each permutation takes two fits, which are numbered as resamples are: 2 k and 2 k + 1 are the groups of permutation
    k = 1, 2, ...; 0 and 1 are the groups themselves.

    Raises
    ------
    ModelError
        Naming the setting, what it may be and what was given.
    """

    kind: ClassVar[str] = PERMUTATION
    share: ClassVar[float] = 1.0
    first: ClassVar[int] = 2
    resamples: ClassVar[None] = None

    n_permutations: int = option(
        1000,
        "so often are the rows dealt out to the two groups again, each time with a search in both; no p-value is below "
        "1 / (n_permutations + 1)",
        "whole",
        least=1,
        most=10**8,
        metavar="N",
    )
    n_jobs: int | None = jobs("fits side by side")

    def __post_init__(self) -> None:
        check_options(self)
        check_jobs(self.n_jobs)

    @property
    def n_resamples(self) -> int:
        """Fits."""
        return 2 * self.n_permutations


RESAMPLING: tuple[Option, ...] = tuple(options_of(StabilityOptions))
COMPARING: tuple[Option, ...] = tuple(options_of(ComparisonOptions))
