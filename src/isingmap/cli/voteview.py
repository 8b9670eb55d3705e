"""isingmap voteview: roll calls of the US Congress to a planar map of its members."""

from __future__ import annotations

from argparse import Namespace

from isingmap.cli import options

DESCRIPTION = """\
Learn a planar map of the members of one chamber from Voteview's files. Members are the
variables, coloured by party; roll calls are the observations. The President is left
out, party switchers are merged and reported."""
EXAMPLE = """\
example (the rules of the paper: members who voted in at least 3/4 of the roll calls,
votes not cast read as nay, no fields):
  isingmap voteview S111_votes.csv S111_members.csv --family zero-field -o senate111"""


def add_parser(commands) -> None:
    parser = options.add_command(
        commands,
        "voteview",
        run,
        text="learn a map of legislators from Voteview's roll-call files",
        description=DESCRIPTION,
        example=EXAMPLE,
    )
    parser.add_argument("votes", metavar="VOTES", help="HSnnn_votes.csv, also gzipped")
    parser.add_argument("members", metavar="MEMBERS", help="HSnnn_members.csv")
    options.add_learning_options(parser, "voteview")
    group = parser.add_argument_group("the votes")
    group.add_argument(
        "--rollcalls", metavar="FILE", help="HSnnn_rollcalls.csv: compare the votes with the official counts"
    )
    group.add_argument(
        "--non-vote",
        choices=("minus", "missing"),
        default="minus",
        help="a member who did not vote: counts as nay (default, the paper's rule), or as missing, so "
        "that each pair of members uses the roll calls on which both voted",
    )
    group.add_argument(
        "--participation",
        type=options.number,
        default=0.75,
        metavar="SHARE",
        help="keep members who voted in at least this share of all roll calls (default 0.75, the paper's "
        "rule; 0 keeps everybody)",
    )
    group.add_argument(
        "--drop-unanimous",
        action="store_true",
        help="leave out roll calls on which all votes agree (default: kept and counted)",
    )
    group.add_argument("--congress", type=options.count, metavar="N", help="when the file holds several")
    group.add_argument("--chamber", metavar="NAME", help="Senate or House, when the file holds both")
    options.add_output_options(parser)


def run(arguments: Namespace) -> int:
    from isingmap.cli.learning import learn_and_write, source_of
    from isingmap.io.voteview import read_voteview
    from isingmap.report.results import check_results_folder

    check_results_folder(arguments.output, force=arguments.force)
    files = arguments.votes, arguments.members
    reading = dict(
        rollcalls=arguments.rollcalls,
        non_vote=arguments.non_vote,
        participation=arguments.participation,
        drop_unanimous=arguments.drop_unanimous,
        congress=arguments.congress,
        chamber=arguments.chamber,
    )
    table = read_voteview(*files, **reading)
    missing = "pairwise" if arguments.non_vote == "missing" else "error"
    title = table.notes[0].rstrip(".")
    source = source_of(read_voteview, *files, **reading)
    return learn_and_write(table, arguments, missing=missing, title=title, source=source)
