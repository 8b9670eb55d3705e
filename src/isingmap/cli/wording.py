"""Messages in the words of the command line: `missing='drop'` of the library becomes `--missing drop`."""

from __future__ import annotations

import re

from isingmap.report.text import printable

_SETTING = re.compile(
    r"\b(family|criterion|search|gamma|missing|prior|n_edges|min_gain|checkpoint)=(['\"]?)([\w./-]+)\2"
)


def in_options(message: object) -> str:
    """The message, safe to print, with settings written as options."""
    lines = [printable(line).replace("force=True", "--force") for line in str(message).split("\n")]
    return _SETTING.sub(lambda found: f"--{found[1].replace('_', '-')} {found[3]}", "\n".join(lines))
