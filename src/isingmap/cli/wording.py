"""Messages in the words of the command line: `missing='drop'` of the library becomes `--missing drop`."""

from __future__ import annotations

import re

from isingmap.report.text import printable

_NAMES = (
    "family|criterion|search|gamma|missing|prior|n_edges|min_gain|checkpoint|format|domain|separator|congress|chamber|"
    "id_column|group_column|weight_column|transpose|force"
)
_SETTING = re.compile(rf"\b({_NAMES})=(?:True\b|(['\"])(.*?)\2|([\w/][\w./-]*)?)")


def in_options(message: object) -> str:
    """The message, safe to print, with settings written as options."""
    lines = [printable(line) for line in str(message).split("\n")]
    return _SETTING.sub(_option, "\n".join(lines)).replace("read_histogram", "--histogram")


def _option(found: re.Match) -> str:
    value = found[3] or found[4] or ""
    option = f"--{found[1].replace('_', '-')}"
    return f"{option} {value if value.strip() else repr(value)}" if value else option
