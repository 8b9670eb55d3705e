"""Names of folders made of texts that nobody has checked, such as the label of a group."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence

_LONGEST = 40
_TAKEN_BY_WINDOWS = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def folder_names(texts: Sequence[str], *, taken: Collection[str] = ()) -> list[str]:
    """A name for each text that is a plain name on every system: no path, no dot file, no option, all different.

    Letters and digits of any script, dots, dashes and underscores stay; all else becomes an underscore. Names differ
    in more than their case, also from those `taken`.
    """
    used = {name.casefold() for name in taken}
    found = []
    for text in texts:
        plain = _plain(text)
        name, number = plain, 1
        while name.casefold() in used:
            number += 1
            name = f"{plain}-{number}"
        used.add(name.casefold())
        found.append(name)
    return found


def is_folder_name(text: str) -> bool:
    """Whether `folder_names` may have made it: no path, no dot file, no option."""
    return bool(text) and text[0] not in ".-" and all(map(_stays, text))


def _stays(letter: str) -> bool:
    return letter.isalnum() or letter in "._-"


def _plain(text: str) -> str:
    letters = (letter if _stays(letter) else "_" for letter in unicodedata.normalize("NFC", text))
    name = "".join(letters).lstrip(".-")[:_LONGEST].rstrip(".")
    return f"_{name}" if not name.strip("_") or _TAKEN_BY_WINDOWS.fullmatch(name) else name
