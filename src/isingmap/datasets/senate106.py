"""The 106th United States Senate (1999-2000): 102 senators, 672 roll calls.

Source
    Object `Senate` of the R package MCMCpack 1.6-3 (A. D. Martin, K. M. Quinn, J. H. Park), as distributed in
    the Debian package r-cran-mcmcpack 1.6-3-1, file `data/Senate.rda`.
Licence
    The package is GPL-3. What is taken from it is who voted how on which roll call: official acts published
    by the US Senate, hence public facts. Nothing of the package's code or documentation is included.
Transformation
    The R data frame written as text, nothing left out, renamed or reordered: `senate106.csv.gz` has one row
    a senator, columns id (ICPSR number), statecode, state, party (0 Democrat, 1 Republican), member, rc1 to
    rc672; a vote is 1 yea, 0 nay, empty not cast. Row names, equal to `member`, are not repeated. The gzip
    header has no time stamp.
Verified
    102 rows and 677 columns; 42,458 yeas, 23,036 nays, 3,050 empty cells; 46 Democrats and 56 Republicans;
    on 76 roll calls all votes cast agree. John and Lincoln Chafee (CHAFFEE1, CHAFFEE2) held the same seat one
    after the other, so no roll call has votes of both; Miller followed Coverdell in the same way.
"""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import as_file, files

from isingmap.data.table import SpinTable
from isingmap.io.csv_table import read_table

_PARTIES = {"0": "D", "1": "R"}


def load_senate106() -> SpinTable:
    """Votes of the 106th US Senate: 672 roll calls (rows) of 102 senators (columns), 3,050 cells missing.

    Groups are the parties D and R; +1 is yea. Apply a rule for missing cells before computing moments;
    "pairwise" is impossible, because some senators never sat together.
    """
    with as_file(files("isingmap.datasets") / "senate106.csv.gz") as path:
        table = read_table(path, id_column=("member", "id", "statecode", "state"), group_column="party", transpose=True)
    notes = ("106th US Senate, 1999-2000 (MCMCpack, object Senate).", *table.notes)
    return replace(table, groups=tuple(_PARTIES[party] for party in table.groups or ()), notes=notes)
