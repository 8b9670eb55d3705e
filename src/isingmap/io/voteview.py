"""Roll calls of the United States Congress in Voteview's files (https://voteview.com/data).

Cast codes: 1-3 yea (cast, paired, announced), 4-6 nay, 7-9 present or not voting, 0 not a member.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath

import numpy as np

from isingmap.data.labels import LabelColumn, normalise
from isingmap.data.table import Coding, SpinTable, counted, listed
from isingmap.errors import DataError, FileFormatError
from isingmap.files.number_text import number
from isingmap.io.delimited import Part, named_part, named_parts, read_records

_YEA, _NAY, _NON_VOTE = (1, 2, 3), (4, 5, 6), (7, 8, 9)
_SPIN_OF_CODE = np.array([0, 1, 1, 1, -1, -1, -1, 0, 0, 0], dtype=np.int8)
_PARTY_LETTERS = {"100": "D", "200": "R", "328": "I"}
_PRESIDENTS = range(99000, 100000)  # icpsr numbers under which a President's announced positions are filed


def read_voteview(
    votes: str | PathLike,
    members: str | PathLike,
    *,
    rollcalls: str | PathLike | None = None,
    non_vote: str = "minus",
    participation: float | None = None,
    drop_unanimous: bool = False,
    congress: int | None = None,
    chamber: str | None = None,
) -> SpinTable:
    """Read the votes of one chamber of one Congress; rows are roll calls, columns are members.

    Presidents are left out. Members with several icpsr numbers (party switchers) are merged by bioguide id;
    the party is the one under which more votes were cast. Columns follow the members file; names are
    surnames, with the state where two members share one. `details` have the icpsr numbers and the full names.

    Parameters
    ----------
    votes, members : path-like
        Voteview's files HSnnn_votes.csv and HSnnn_members.csv, gzipped or not.
    rollcalls : path-like, optional
        HSnnn_rollcalls.csv; its yea and nay counts are then compared with the votes.
    non_vote : {"minus", "missing"}
        A member who did not vote, or had no seat, counts as nay (the paper's rule) or as a missing cell.
    participation : float, optional
        Keep members who voted in at least this share of *all* roll calls (0.75 in the paper).
    drop_unanimous : bool
        Leave out roll calls on which all votes cast by the members kept agree.
    congress : int, optional
    chamber : {"Senate", "House"}, optional
        Needed when the votes file holds several.

    Raises
    ------
    FileFormatError
        If a file lacks a column or holds a cell that is none of Voteview's, with the line.
    DataError
        If a choice of congress or chamber is needed, votes have no member, or nobody is left.
    """
    if non_vote not in ("minus", "missing"):
        raise DataError(f"unknown rule for votes not cast {non_vote!r}; choose 'minus' or 'missing'")
    if participation is not None and not 0 <= participation <= 1:
        raise DataError(f"participation must be a share from 0 to 1, got {participation!r}")
    cast = _read_votes(votes, congress, chamber)
    seats, presidents = _read_members(members, cast.congress, cast.chamber)
    people = _people(seats)
    codes, ballots, notes = _code_matrix(cast, people, presidents)
    if rollcalls is not None:
        notes += _verify(rollcalls, cast, codes)
    labels = _unique_names([person[0] for person in people])
    parties, merged = _parties(people, ballots, labels)
    kept, dropped = _frequent_voters(codes, participation, labels)
    spins, unanimous = _spins(codes[:, kept], non_vote, drop_unanimous)
    return SpinTable(
        spins=spins,
        names=tuple(labels[j] for j in kept),
        codings=(Coding("Nay", "Yea"),) * len(kept),
        groups=tuple(parties[j] for j in kept),
        details={
            "icpsr": tuple(" ".join(str(seat.icpsr) for seat in people[j]) for j in kept),
            "bioname": tuple(people[j][0].name for j in kept),
        },
        notes=(f"{cast.chamber} of congress {cast.congress}.", *notes, *merged, *dropped, *unanimous),
    )


# --- files ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Votes:
    """The votes of one chamber: parallel arrays."""

    path: str
    congress: int
    chamber: str
    rollnumber: np.ndarray
    icpsr: np.ndarray
    code: np.ndarray


@dataclass(frozen=True)
class _Seat:
    """A row of the members file."""

    icpsr: int
    bioguide: str
    name: str
    state: str
    party: str


def _read_votes(path: str | PathLike, congress: int | None, chamber: str | None) -> _Votes:
    """The votes of the one congress and chamber that fits; of others nothing is kept while the file is read."""
    wanted = ("congress", "chamber", "rollnumber", "icpsr", "cast_code")
    house = None if chamber is None else chamber.strip().capitalize()
    found: dict[tuple[int, str], list[np.ndarray]] = {}
    bad: list[tuple[int, int]] = []
    for part in named_parts(path, wanted):
        for pair, rows in _by_chamber(part):
            votes = found.setdefault(pair, [])
            if congress in (None, pair[0]) and house in (None, pair[1]):
                numbers = [_integers(part, part.columns[k], wanted[k], rows) for k in (2, 3, 4)]
                odd = np.flatnonzero((numbers[2] < 0) | (numbers[2] > 9))
                bad += [(int(part.lines[rows[k]]), int(numbers[2][k])) for k in odd.tolist()]
                votes.append(np.stack(numbers))
    if bad:
        line, code = min(bad)
        raise FileFormatError(
            f"{fspath(path)}: line {line}: cast_code must be 0 to 9, got {code} ({counted(len(bad), 'such line')})"
        )
    choice = _choose(fspath(path), found)
    return _Votes(fspath(path), *choice, *np.concatenate(found[choice], axis=1))


def _by_chamber(part: Part) -> Iterator[tuple[tuple[int, str], np.ndarray]]:
    """The rows of a part that belong to each congress and chamber."""
    congresses = _integers(part, part.columns[0], "congress")
    chambers = LabelColumn.from_texts(part.columns[1])
    titles = [text.strip().capitalize() for text in chambers.texts]
    for number_ in np.unique(congresses).tolist():
        for title in dict.fromkeys(titles):
            of_chamber = np.array([other == title for other in titles])[chambers.codes]
            rows = np.flatnonzero(of_chamber & (congresses == number_))
            if rows.size:
                yield (number_, title), rows


def _choose(path: str, found: Mapping[tuple[int, str], Sequence[np.ndarray]]) -> tuple[int, str]:
    """The one congress and chamber of which votes were kept; a President's rows do not count as a chamber."""
    pairs = sorted(pair for pair in found if pair[1] != "President")
    fitting = [pair for pair in pairs if found[pair]]
    shown = listed([f"{h} of congress {c}" for c, h in pairs]) or "none"
    if not fitting:
        raise DataError(f"{path}: no votes of the congress and chamber asked for; the file holds {shown}")
    if len(fitting) > 1:
        raise DataError(f"{path}: votes of several chambers: {shown}. Choose one with congress= and chamber=.")
    return fitting[0]


def _read_members(path: str | PathLike, congress: int, chamber: str) -> tuple[list[_Seat], list[_Seat]]:
    """Members of the chamber in file order, and Presidents."""
    wanted = ("congress", "chamber", "icpsr", "party_code", "bioname", "state_abbrev")
    records = read_records(path)
    has_bioguide = "bioguide_id" in [name.strip() for name in records.rows[0]]
    part = named_part(records, (*wanted, "bioguide_id") if has_bioguide else wanted)
    congresses, chambers, icpsr, party, names, states, *more = part.columns
    bioguide = more[0] if more else [""] * len(icpsr)
    of_congress = _integers(part, congresses, "congress") == congress
    numbers = _integers(part, icpsr, "icpsr")
    parties = _integers(part, party, "party_code")
    seats: dict[int, _Seat] = {}
    presidents: dict[int, _Seat] = {}
    for i in np.flatnonzero(of_congress).tolist():
        where = chambers[i].strip().capitalize()
        person = bioguide[i].strip() if normalise(bioguide[i]) else ""  # R writes NA where there is no id
        seat = _Seat(int(numbers[i]), person, names[i].strip(), states[i].strip(), str(parties[i]))
        if where == "President" or seat.icpsr in _PRESIDENTS:
            presidents.setdefault(seat.icpsr, seat)
        elif where == chamber:
            seats.setdefault(seat.icpsr, seat)
    if not seats:
        raise DataError(
            f"{records.path}: no member of the {chamber} of congress {congress}, of which the votes are. Do the files "
            "belong together?"
        )
    return list(seats.values()), list(presidents.values())


def _integers(part: Part, cells: Sequence[str], name: str, rows: np.ndarray | None = None) -> np.ndarray:
    """Whole numbers of some rows, by default all, also where a spreadsheet wrote them as 111.0."""
    column = LabelColumn.from_texts(cells)
    codes = column.codes if rows is None else column.codes[rows]
    values = [number(text) for text in column.texts]
    numbers = [int(value) if value is not None and value.is_integer() else 2**53 + 1 for value in values]
    good = np.array([abs(value) <= 2**53 for value in numbers], dtype=bool)
    bad = np.flatnonzero(~good[codes])
    if bad.size:
        row = int(bad[0] if rows is None else rows[bad[0]])
        raise part.fail(f"line {part.lines[row]}: {name} must be a whole number, got {cells[row]!r}")
    return np.array([value if ok else 0 for value, ok in zip(numbers, good.tolist(), strict=True)], np.int64)[codes]


# --- people -----------------------------------------------------------------------------------------------


def _people(seats: Sequence[_Seat]) -> list[list[_Seat]]:
    """Seats of the same person together."""
    people: dict[object, list[_Seat]] = {}
    for seat in seats:
        people.setdefault(seat.bioguide or seat.icpsr, []).append(seat)
    return list(people.values())


def _unique_names(seats: Sequence[_Seat]) -> list[str]:
    """Surnames; with the state where members share one, and the icpsr number where that is not enough."""
    labels = [_surname(seat.name) or str(seat.icpsr) for seat in seats]
    for addition in ([seat.state for seat in seats], [str(seat.icpsr) for seat in seats]):
        uses = Counter(label.casefold() for label in labels)
        labels = [
            f"{label}-{more}" if uses[label.casefold()] > 1 else label
            for label, more in zip(labels, addition, strict=True)
        ]
    return labels


def _surname(bioname: str) -> str:
    """'McCASKILL, Claire' -> 'McCaskill'."""
    surname = bioname.split(",")[0].strip()
    return re.sub(r"[^\W\d_a-z]{2,}", lambda capitals: capitals[0].capitalize(), surname)


def _parties(people, ballots: Counter, labels) -> tuple[list[str], list[str]]:
    """A party for each person, that of the seat with most votes, and a note on who had several seats."""
    parties, notes = [], []
    for seats, label in zip(people, labels, strict=True):
        main = max(seats, key=lambda seat: ballots[seat.icpsr])
        parties.append(_letter(main))
        if len(seats) > 1:
            parts = " and ".join(f"{s.icpsr} ({_letter(s)}, {counted(ballots[s.icpsr], 'vote')})" for s in seats)
            notes.append(f"{label}: icpsr {parts} merged by bioguide id {main.bioguide}, party {_letter(main)}.")
    return parties, notes


def _letter(seat: _Seat) -> str:
    return _PARTY_LETTERS.get(seat.party, seat.party)


# --- from votes to spins ----------------------------------------------------------------------------------


def _code_matrix(cast: _Votes, people, presidents) -> tuple[np.ndarray, Counter, list[str]]:
    """Cast codes (n_rollcalls, n_people), votes cast under each icpsr number, and notes."""
    column_of = {seat.icpsr: j for j, seats in enumerate(people) for seat in seats}
    president_ids = {seat.icpsr for seat in presidents}
    president = np.isin(cast.icpsr, list(president_ids)) | np.isin(cast.icpsr, _PRESIDENTS)
    _refuse_unknown(cast, column_of, president)
    icpsr, code = cast.icpsr[~president], cast.code[~president].astype(np.int8)
    rolls = np.unique(cast.rollnumber)
    row = np.searchsorted(rolls, cast.rollnumber[~president])
    column = np.array([column_of[i] for i in icpsr.tolist()], dtype=np.intp)
    codes = np.zeros((rolls.size, len(people)), dtype=np.int8)
    seated = code > 0
    codes[row[seated], column[seated]] = code[seated]
    conflict = np.flatnonzero(seated & (codes[row, column] != code))
    if conflict.size:
        first = conflict[0]
        raise DataError(
            f"{cast.path}: two different votes of icpsr {icpsr[first]} on roll call {rolls[row[first]]} "
            f"({counted(conflict.size, 'such vote')}); remove the wrong ones"
        )
    notes = [f"{counted(rolls.size, 'roll call')}, {counted(len(people), 'member')}."]
    if president.any():
        who = listed([seat.name for seat in presidents]) or listed(np.unique(cast.icpsr[president]).tolist())
        notes.append(f"Left out the President ({who}): {counted(int(president.sum()), 'row')}.")
    repeated = int(seated.sum()) - np.unique(np.stack([row[seated], column[seated]]), axis=1).shape[1]
    if repeated:
        notes.append(f"{counted(repeated, 'vote')} repeated in the file and counted once.")
    return codes, Counter(icpsr[np.isin(code, _YEA + _NAY)].tolist()), notes


def _refuse_unknown(cast: _Votes, known, president: np.ndarray) -> None:
    unknown = sorted(set(cast.icpsr[~president].tolist()) - set(known))
    if unknown:
        raise DataError(
            f"{cast.path}: votes of {counted(len(unknown), 'icpsr number')} that the members file does not "
            f"have for the {cast.chamber} of congress {cast.congress}: {listed(unknown)}. Do the files "
            "belong together?"
        )


def _frequent_voters(codes, participation, labels) -> tuple[list[int], list[str]]:
    """Columns of the members who voted often enough, and a note on the others."""
    votes = np.count_nonzero(_SPIN_OF_CODE[codes], axis=0)
    needed = 0 if participation is None else participation * len(codes)
    kept = np.flatnonzero(votes >= needed - 1e-9).tolist()
    if not kept:
        raise DataError(f"no member voted in {participation:g} of the {len(codes)} roll calls; lower participation=")
    if participation is None:
        return kept, []
    out = [
        f"{labels[j]} ({votes[j]}, {votes[j] / len(codes):.0%})" for j in sorted(set(range(len(labels))) - set(kept))
    ]
    rule = f"voted in at least {participation:g} of all {len(codes)} roll calls"
    return kept, [
        f"Kept {counted(len(kept), 'member')} who {rule}; left out {len(out)}"
        + (f": {listed(out, len(out))}." if out else ".")
    ]


def _spins(codes, non_vote: str, drop_unanimous: bool) -> tuple[np.ndarray, list[str]]:
    spins = _SPIN_OF_CODE[codes]
    unanimous = ~((spins == 1).any(axis=1) & (spins == -1).any(axis=1))
    if drop_unanimous:
        spins = spins[~unanimous]
        if not len(spins):
            raise DataError("all roll calls are unanimous, so none is left; keep them (drop_unanimous=False)")
    what = "dropped" if drop_unanimous else "kept"
    notes = [f"{counted(int(unanimous.sum()), 'unanimous roll call')} {what}."]
    # A code of 0 is written for those who had no seat on that day, and stands for rows that are not in the file.
    n_unseated = int(np.count_nonzero((codes[~unanimous] if drop_unanimous else codes) == 0))
    n_open = int(np.count_nonzero(spins == 0))
    if non_vote == "minus":
        spins = np.where(spins == 0, np.int8(-1), spins)
    notes.append(
        f"{counted(n_open, 'cell')} without a vote read as {'Nay' if non_vote == 'minus' else 'missing'}: "
        f"{n_open - n_unseated:,} not cast, {n_unseated:,} where the member had no seat."
    )
    return spins, notes


def _verify(path: str | PathLike, cast: _Votes, codes: np.ndarray) -> list[str]:
    """Compare yeas and nays with the official counts."""
    wanted = ("congress", "chamber", "rollnumber", "yea_count", "nay_count")
    part = named_part(read_records(path), wanted)
    congresses, chambers, *rest = part.columns
    rollnumber, yea, nay = (_integers(part, c, n) for c, n in zip(rest, wanted[2:], strict=True))
    here = _integers(part, congresses, "congress") == cast.congress
    here &= np.array([text.strip().capitalize() == cast.chamber for text in chambers], dtype=bool)
    official = {int(r): (int(y), int(n)) for r, y, n in zip(rollnumber[here], yea[here], nay[here], strict=True)}
    spins = _SPIN_OF_CODE[codes]
    counts = zip((spins == 1).sum(axis=1).tolist(), (spins == -1).sum(axis=1).tolist(), strict=True)
    found = dict(zip(np.unique(cast.rollnumber).tolist(), counts, strict=True))
    differing = [
        f"{roll} (official {official[roll][0]}-{official[roll][1]}, votes {found[roll][0]}-{found[roll][1]})"
        for roll in found
        if roll in official and official[roll] != found[roll]
    ]
    compared = len(found.keys() & official.keys())
    notes = [f"Yeas and nays equal the official counts on {compared - len(differing)} of {len(found)} roll calls."]
    if differing:
        notes.append(f"They differ on roll call {', '.join(map(str, differing))}.")
    absent = sorted(official.keys() - found.keys())
    if absent:
        notes.append(
            f"No votes for {counted(len(absent), 'roll call')} of the roll-call file: {', '.join(map(str, absent))}."
        )
    return notes
