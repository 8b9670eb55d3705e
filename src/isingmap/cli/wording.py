"""Messages in the words of the command line: `missing='drop'` of the library becomes `--missing drop`.

The library names settings as Python does. Here is the one table of what they are called on the command line; a
setting that the reader's command does not have is left as it is, "in Python".
"""

from __future__ import annotations

import re
import shlex
from ast import literal_eval
from collections.abc import Sequence

from isingmap.printable import printable
from isingmap.structure.options import OPTIONS

# Settings of the library by name, and their options: those of learning, and those of reading and writing files.
FLAGS = {name: option.flag for option in OPTIONS for name in (option.name, option.python) if name and option.flag} | {
    name: f"--{name.replace('_', '-')}"
    for name in (
        *("format", "domain", "sign", "force", "n_tables"),
        *(
            "transpose",
            "id_column",
            "weight_column",
            "group_column",
            "cluster_column",
            "drop_column",
            "separator",
            "header_lines",
        ),
        *("n_resamples", "kind", "share", "first", "resamples", "n_jobs"),
        *("n_permutations", "split_by"),
        *("congress", "chamber", "participation", "drop_unanimous"),
    )
}
_LABEL_OF_COLUMN = re.compile(r"\bpositive=\{('[^']*'|\"[^\"]*\"): ('[^']*'|\"[^\"]*\")\}")
_NAME = "|".join(sorted(FLAGS, key=len, reverse=True))
_SETTING = re.compile(rf"\b({_NAME})=(?:(['\"])([^'\"]*)\2|([\w./-]*\w)?(?![\w\[({{]))")
# What the functions behind a command call its options; only where a message begins with them.
_SUBJECTS = FLAGS | {
    "n_samples": "--n-samples",
    "n_rows": "--rows",
    "n_columns": "--columns",
    "n_spins": "--variables",
    "n_burn_in": "--burn-in",
    "n_thin": "--thin",
}
_SUBJECT = re.compile(rf"((?:^|: ))({'|'.join(_SUBJECTS)})(?:( must )|=(\d+) )")
_LONG = re.compile(r"""read_long_table\(columns=('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\)""")
CALLS = {
    "read_histogram": "--histogram",
    "{column: label}": "COLUMN=LABEL",
    "correlations(pairs)": "--pair NAME NAME",
    "ground_state()": "isingmap ground-state",
}  # functions that are an option, and values as they are typed


def well_formed(text: str) -> str:
    """The text with bytes of a file name that are not UTF-8 written out, so that it can be stored."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def printable_lines(text: str, typed: Sequence[str] = ()) -> str:
    """The text, safe to print in its own lines; what was `typed` is one piece of a line, whatever it holds."""
    for words in sorted(typed, key=len, reverse=True):
        if words != printable(words):
            text = text.replace(words, printable(words))
    return "\n".join(printable(line) for line in text.split("\n"))


def in_options(message: object, known: frozenset[str] | None = None) -> str:
    """The message, whose lines are safe to print, with settings written as options.

    `known` are the options of the command at hand; without it all are.
    """

    def worded(found: re.Match) -> str:
        flag, value = FLAGS[found[1]], found[3] or found[4] or ""
        if known is not None and flag not in known:
            return f"{found[0]} (in Python)"
        if value in ("", "True"):
            return flag
        if value == "False":
            return f"without {flag}"
        return f"{flag} {shlex.quote(value)}"

    def subject(found: re.Match) -> str:
        flag = _SUBJECTS[found[2]]
        if known is not None and flag not in known:
            return found[0]
        return f"{found[1]}{flag}{found[3] or f' {found[4]} '}"

    def long(found: re.Match) -> str:
        in_python = known is not None and "--long" not in known
        return f"{found[0]} (in Python)" if in_python else f"--long {shlex.quote(literal_eval(found[1]))}"

    text = _LABEL_OF_COLUMN.sub(_positive, printable_lines(str(message)))
    text = _LONG.sub(long, text)
    text = _SETTING.sub(worded, _SUBJECT.sub(subject, text))
    for call, flag in CALLS.items():
        text = text.replace(call, flag)
    return text


def _positive(found: re.Match) -> str:
    """The example `positive={'sex': 'F'}` as it is typed."""
    column, label = (text[1:-1] for text in found.groups())
    return f"--positive {shlex.quote(f'{column}={label}')}"
