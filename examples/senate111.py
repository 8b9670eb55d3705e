"""The paper's Senate map (section 5): 96 senators of the 111th US Congress, 696 roll calls, zero-field.

Johnson, Netrapalli & Chertkov, "Learning Planar Ising Models", AISTATS 2011. Senators who voted in at least
3/4 of the roll calls; a vote not cast counts as nay. Data: Voteview, expected in ../shared/data/senate111.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from command_line import arguments

from isingmap import Problem, SearchOptions, greedy_search
from isingmap.data.moments import empirical_moments
from isingmap.data.table import SpinTable
from isingmap.io.voteview import read_voteview
from isingmap.report.plots import draw_map
from isingmap.structure.result import SearchResult

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "senate111"
LAYOUTS = ("planar", "kamada-kawai")
# The quick run ends soon after the first edge between the parties, at step 85.
SEARCHES = {"bic": {"criterion": "bic"}, "maximal": {"criterion": "maximal"}}
QUICK = {"start": {"criterion": "bic", "n_edges": 90}}


def learn(table: SpinTable, stopping: dict) -> SearchResult:
    return greedy_search(Problem(empirical_moments(table), family="zero-field"), SearchOptions(**stopping))


def print_table(table: SpinTable) -> None:
    parties = ", ".join(f"{table.groups.count(party)} {party}" for party in sorted(set(table.groups)))
    print(f"{table.n_spins} senators ({parties}), {table.n_samples} roll calls")


def print_start(result: SearchResult, party: dict[str, str]) -> None:
    """The first five edges and the first between Democrats and Republicans."""
    path = result.path
    print(f"{'step':>4}  {'edge':<28} {'gain, nats':>10}")
    between = (k for k in range(1, len(path)) if {party[path.source[k]], party[path.target[k]]} == {"D", "R"})
    for step in [*range(1, 6), next(between)]:
        edge = f"{path.source[step]} - {path.target[step]}"
        print(f"{step:>4}  {edge:<28} {path.gain[step]:>10.4f}")


def print_end(name: str, result: SearchResult) -> None:
    print(f"{name}: {result.model.n_edges} edges; {result.stopped}")
    print(f"  largest |coupling| {np.abs(result.model.couplings).max():.2f}")
    for pair in result.excluded:
        print(f"  passed over {pair.source} - {pair.target}: {pair.reason}")


def print_remarks(result: SearchResult, party: dict[str, str]) -> None:
    """What the paper says of four senators."""
    for surname in ("Sanders", "Lieberman", "McConnell", "Reid"):
        neighbours = neighbours_of(result, surname)
        parties = sorted(party[name] for name in neighbours)
        tied = ", ".join(f"{parties.count(letter)} {letter}" for letter in dict.fromkeys(parties))
        print(f"  {surname:<10} {len(neighbours):>2} neighbours: {tied}")


def neighbours_of(result: SearchResult, surname: str) -> list[str]:
    own = next(name for name in result.model.names if name.lower().startswith(surname.lower()))
    edges = result.model.edge_names
    return [i if j == own else j for i, j in edges if own in (i, j)]


def draw(result: SearchResult, table: SpinTable, stem: Path) -> None:
    stem.parent.mkdir(parents=True, exist_ok=True)
    model = result.model
    for layout in LAYOUTS:
        file = stem.with_name(f"{stem.name}-{layout}.png")
        draw_map(
            file,
            names=model.names,
            edges=model.edges,
            couplings=model.couplings,
            groups=table.groups,
            layout=layout,
            title=f"111th US Senate: {model.n_edges} edges",
        )
        print(f"figure: {file}")


def main() -> None:
    options = arguments(__doc__.splitlines()[0])
    if not DATA.is_dir():
        print(f"no data in {DATA}; get S111_votes.csv and S111_members.csv from https://voteview.com/data")
        return
    table = read_voteview(DATA / "S111_votes.csv.gz", DATA / "S111_members.csv", participation=0.75)
    party = dict(zip(table.names, table.groups, strict=True))
    print_table(table)
    for name, stopping in (QUICK if options.quick else SEARCHES).items():
        result = learn(table, stopping)
        if name != "maximal":
            print_start(result, party)
        print_end(name, result)
        print_remarks(result, party)
        draw(result, table, options.out / f"senate111-{name}")


if __name__ == "__main__":
    main()
