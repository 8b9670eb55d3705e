"""Voteview roll calls: cast codes, Presidents, party switchers, participation."""

import csv
import gzip

import numpy as np
import pytest

from isingmap.errors import DataError, FileFormatError
from isingmap.io import by_column, delimited
from isingmap.io.csv_table import read_table
from isingmap.io.voteview import read_voteview

MEMBERS = """congress,chamber,icpsr,state_abbrev,party_code,bioname,bioguide_id
1,President,99900,USA,100,"WASHINGTON, George",W0
1,Senate,10,OH,100,"BROWN, Sherrod",B1
1,Senate,20,MA,200,"BROWN, Scott",B2
1,Senate,30,MO,100,"McCASKILL, Claire",M1
1,Senate,41,PA,200,"SPECTER, Arlen",S1
1,Senate,42,PA,100,"SPECTER, Arlen",S1
1,Senate,50,NY,328,"D'AMATO, Al",
1,House,60,NY,537,"VAN HOLLEN, Chris",V1
"""
VOTES = [  # (rollnumber, icpsr, cast_code)
    *[(1, 10, 1), (1, 20, 6), (1, 30, 2), (1, 41, 6), (1, 50, 9), (1, 99900, 1)],
    *[(2, 10, 3), (2, 20, 4), (2, 30, 5), (2, 41, 0), (2, 42, 1), (2, 50, 7)],
    *[(3, 10, 1), (3, 20, 1), (3, 30, 1), (3, 42, 1), (3, 50, 8)],
]


def votes_text(votes=VOTES, chamber="Senate"):
    rows = [f"1,{chamber},{roll},{icpsr},{code},50.0" for roll, icpsr, code in votes]
    return "\n".join(["congress,chamber,rollnumber,icpsr,cast_code,prob", *rows])


@pytest.fixture
def read(write):
    def read_small(votes=None, members=MEMBERS, rollcalls=None, **options):
        if rollcalls is not None:
            options["rollcalls"] = write(rollcalls, "rollcalls.csv")
        votes = votes_text() if votes is None else votes
        return read_voteview(write(votes, "votes.csv"), write(members, "members.csv"), **options)

    return read_small


def test_cast_codes(read):
    table = read(non_vote="missing")
    assert table.names == ("Brown-OH", "Brown-MA", "McCaskill", "Specter", "D'Amato")
    assert table.groups == ("D", "R", "D", "D", "I")
    assert table.spins.tolist() == [[1, -1, 1, -1, 0], [1, -1, -1, 1, 0], [1, 1, 1, 1, 0]]
    assert np.array_equal(read().spins, np.where(table.spins == 0, -1, table.spins))


def test_members_can_be_looked_up(read):
    table = read(participation=0.75)
    assert table.details["icpsr"] == ("10", "20", "30", "41 42")
    assert table.details["bioname"][2:] == ("McCASKILL, Claire", "SPECTER, Arlen")
    assert table.select(["Specter"]).details == {"icpsr": ("41 42",), "bioname": ("SPECTER, Arlen",)}


def test_notes_report_everything(read):
    notes = "\n".join(read(participation=0.75).notes)
    assert "Left out the President (WASHINGTON, George): 1 row." in notes
    assert "Specter: icpsr 41 (R, 1 vote) and 42 (D, 2 votes) merged by bioguide id S1, party D." in notes
    assert "Kept 4 members who voted in at least 0.75 of all 3 roll calls; left out 1: D'Amato (0, 0%)." in notes
    assert "1 unanimous roll call kept." in notes
    assert "0 cells without a vote read as Nay: 0 not cast, 0 where the member had no seat." in notes


@pytest.mark.parametrize("marker", ["NA", "", "#N/A"])
def test_markers_of_missing_cells_are_no_ids(read, marker):
    members = MEMBERS.replace(",M1", f",{marker}").replace(",B1", f",{marker}")
    assert read(members=members).names == read().names


def test_a_participation_of_0_keeps_everybody(read):
    assert read(participation=0).names == read().names


def test_absent_and_not_seated_are_counted_apart(read):
    votes = [vote for vote in VOTES if vote != (1, 30, 2)]
    note = read(votes_text(votes)).notes[-1]
    assert "4 cells without a vote" in note and "3 not cast, 1 where the member had no seat" in note


def test_participation_includes_its_bound(read):
    third_only = [(1, 10, 1), (2, 10, 9), (3, 10, 1), (1, 20, 6), (2, 20, 6), (3, 20, 6)]
    assert read(votes_text(third_only), participation=2 / 3).n_spins == 2
    assert read(votes_text(third_only), participation=0.7).names == ("Brown-MA",)


def test_votes_of_other_congresses_are_not_kept_nor_looked_at(write, read, monkeypatch):
    monkeypatch.setattr(delimited, "_LARGE", 4000)
    monkeypatch.setattr(delimited, "_TOP_ROWS", 20)
    monkeypatch.setattr(by_column, "_BLOCK", 2000)
    monkeypatch.setattr(by_column, "_FEWEST_ROWS", 16)
    others = [f"2,Senate,{roll},{icpsr},{1 + 5 * (roll % 2)},50.0" for roll in range(200) for icpsr in (10, 20)]
    lines = votes_text().splitlines()
    text = "\n".join([lines[0], *others, *lines[1:], "2,Senate,1,10,x,50.0"])
    assert np.array_equal(read(text, congress=1).spins, read().spins)
    with pytest.raises(DataError, match="line 419: cast_code must be a whole number, got 'x'"):
        read(text, congress=2)
    with pytest.raises(DataError, match="Senate of congress 1, Senate of congress 2. Choose one"):
        read(text.replace(",x,", ",1,"))
    with pytest.raises(FileFormatError, match="line 419 has 2 fields, expected 6"):
        read(text.replace("2,Senate,1,10,x,50.0", "2,Senate"), congress=1)


def test_unanimous_roll_calls_can_be_dropped(read):
    table = read(drop_unanimous=True)
    assert table.n_samples == 2
    assert "1 unanimous roll call dropped." in table.notes


def test_same_surname_in_the_same_state(read):
    table = read(members=MEMBERS.replace("20,MA", "20,OH"))
    assert table.names[:2] == ("Brown-OH-10", "Brown-OH-20")


def test_official_counts_are_compared(read):
    rollcalls = "congress,chamber,rollnumber,yea_count,nay_count\n1,Senate,1,2,2\n1,Senate,2,9,2\n1,Senate,3,4,0\n"
    notes = "\n".join(read(rollcalls=rollcalls + "1,Senate,4,5,5\n1,House,1,0,0\n").notes)
    assert "equal the official counts on 2 of 3 roll calls" in notes
    assert "They differ on roll call 2 (official 9-2, votes 2-2)." in notes
    assert "No votes for 1 roll call of the roll-call file: 4." in notes


def test_several_chambers_need_a_choice(read):
    both = votes_text() + "\n" + "\n".join(votes_text([(1, 60, 1), (2, 60, 6)], "House").splitlines()[1:])
    with pytest.raises(DataError, match="House of congress 1, Senate of congress 1. Choose one"):
        read(both)
    assert read(both, chamber="house").names == ("Van Hollen",)
    assert read(both, chamber="Senate", congress=1).n_spins == 5
    with pytest.raises(DataError, match="no votes of the congress and chamber asked for"):
        read(both, congress=2)


def test_repeated_votes_are_counted_once_and_conflicts_refused(read):
    assert "1 vote repeated in the file and counted once." in read(votes_text([*VOTES, (1, 10, 1)])).notes
    with pytest.raises(DataError, match=r"two different votes of icpsr 10 on roll call 1 \(1 such vote\)"):
        read(votes_text([(1, 10, 6), *VOTES]))


@pytest.mark.parametrize(
    "changes, message",
    [
        (
            {"votes": votes_text([(1, 77, 1)])},
            "votes of 1 icpsr number that the members file does not have.*77",
        ),
        ({"votes": votes_text([(1, 10, 12)])}, "line 2: cast_code must be 0 to 9, got 12"),
        ({"votes": votes_text([(1, "x", 1)])}, "line 2: icpsr must be a whole number, got 'x'"),
        ({"votes": votes_text([])}, "the file holds none"),
        ({"votes": "congress,chamber\n1,Senate\n"}, "no column rollnumber, icpsr, cast_code in line 1"),
        ({"members": MEMBERS.replace("Senate", "House")}, "no member of the Senate of congress 1, .* belong together"),
        ({"members": "icpsr\n1\n"}, "no column congress, chamber, party_code"),
        ({"non_vote": "nay"}, "choose 'minus' or 'missing'"),
        ({"participation": 75}, "share from 0 to 1, got 75"),
        ({"votes": votes_text([(1, 10, 9)]), "participation": 0.5}, "no member voted in 0.5"),
        ({"votes": votes_text([(1, 10, 1)]), "drop_unanimous": True}, "all roll calls are unanimous"),
    ],
)
def test_errors(read, changes, message):
    with pytest.raises(DataError, match=message):
        read(**changes)


def test_not_a_member_never_hides_the_vote_of_the_other_seat(read):
    for votes in ([(1, 41, 0), (1, 42, 1)], [(1, 42, 1), (1, 41, 0)]):
        assert read(votes_text(votes)).select(["Specter"]).spins.tolist() == [[1]]


def test_numbers_from_spreadsheets(read):
    assert read(votes_text([(1, "10.0", "1.0"), ("2.0", 10, 6)])).spins[:, 0].tolist() == [1, -1]
    with pytest.raises(FileFormatError, match="rollnumber must be a whole number, got '1.5'"):
        read(votes_text([("1.5", 10, 1)]))


# --- the paper's Senate -----------------------------------------------------------------------------------


@pytest.fixture
def senate_files(shared_data):
    return [shared_data(f"senate111/S111_{name}") for name in ("votes.csv.gz", "members.csv", "rollcalls.csv")]


def test_senate_111_cell_for_cell(shared_data, senate_files):
    votes, members, rollcalls = senate_files
    table = read_voteview(votes, members, rollcalls=rollcalls, participation=0.75)
    expected = read_table(shared_data("senate111/senate111_pm1.csv"), id_column="rollnumber")
    assert (table.n_samples, table.n_spins) == (696, 96)
    assert sorted(table.names) == sorted(expected.names)
    assert np.array_equal(table.select(expected.names).spins, expected.spins)
    assert {party: table.groups.count(party) for party in "DIR"} == {"D": 56, "I": 1, "R": 39}
    notes = "\n".join(table.notes)
    assert "Yeas and nays equal the official counts on 696 of 696 roll calls." in notes
    assert "Specter: icpsr 14910 (R," in notes and "OBAMA" in notes


def test_senate_111_against_the_table_of_all_persons(shared_data, senate_files):
    """votes_matrix.csv was made by another program: 1 yea, -1 nay, 0 not voting, empty not a member."""
    table = read_voteview(*senate_files[:2], non_vote="missing")
    with open(shared_data("senate111/votes_matrix.csv"), newline="") as file:
        header, *rows = csv.reader(file)
    labels = {label.casefold(): label for label in table.names}
    columns = [labels[label.casefold()] for label in header[2:]]
    expected = np.array([[int(cell or 0) for cell in row[2:]] for row in rows])
    assert len(set(columns)) == table.n_spins == 110
    assert np.array_equal(table.select(columns).spins, expected)


def test_gzipped_and_plain_are_the_same(write, senate_files):
    votes, members, _ = senate_files
    plain = write(gzip.decompress(votes.read_bytes()), "plain.csv")
    assert np.array_equal(read_voteview(plain, members).spins, read_voteview(votes, members).spins)
