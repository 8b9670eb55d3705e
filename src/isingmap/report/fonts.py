"""Fonts for names in any script: which installed ones hold the letters that matplotlib's own font lacks.

Nothing is looked for where DejaVu Sans has every letter, as it has for European, Greek, Cyrillic and Arabic names.
"""

from __future__ import annotations

import logging
import unicodedata
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from isingmap.data.table import listed
from isingmap.errors import DataWarning
from isingmap.warned import warn

OWN = "DejaVu Sans"
BOX = "\N{WHITE SQUARE}"  # as wide as what is drawn for a letter without a glyph
LONGEST_TEXT = 40  # letters of it in the warning
# Fonts that have a picture for every letter there is, and fonts whose letters have numbers of their own.
_USELESS = ("last resort", ".lastresort", "unicode bmp fallback", "adobe blank", "cm", "stixsize", "stixnonunicode")
_CJK = ("CJK ", "HIRAGANA ", "KATAKANA ", "HANGUL ", "BOPOMOFO ", "IDEOGRAPHIC ", "FULLWIDTH ")


@dataclass(frozen=True)
class Fonts:
    """What some texts are drawn with.

    Attributes
    ----------
    families : tuple of str
        As matplotlib's font family takes them; a letter comes from the first that has it.
    lost : frozenset of str
        Letters that no installed font has.
    """

    families: tuple[str, ...]
    lost: frozenset[str]

    def measurable(self, text: str) -> str:
        """The text with boxes for letters that no font has: as wide, and matplotlib does not complain."""
        return "".join(BOX if letter in self.lost else letter for letter in text)


def fonts_for(texts: Iterable[str]) -> Fonts:
    """The fonts that are needed for some texts: the fewest that a greedy choice finds, ties by name.

    Fonts that were installed after matplotlib made its list are found, too.
    """
    lacking = {letter for text in texts for letter in text if letter > "~"}
    lacking = set(_held(OWN, lacking, lacking=True)) if lacking else lacking
    if not lacking:
        return Fonts((OWN,), frozenset())
    _add_new_fonts(lacking)
    holdings = {family: _held(family, lacking) for family in _known_families()}
    chosen = [OWN]
    while holdings:
        best = min(holdings, key=lambda family: (-len(holdings[family] & lacking), "Sans" not in family, family))
        if not holdings[best] & lacking:
            break
        chosen.append(best)
        lacking -= holdings[best]
    return Fonts(tuple(chosen), frozenset(lacking))


@contextmanager
def with_all_letters(figure) -> Iterator[None]:
    """Give the texts of a figure the fonts they need; inside, it can be saved.

    Warns
    -----
    DataWarning
        Naming the texts whose letters no installed font has, and what to install.
    """
    from matplotlib.text import Text

    written = figure.findobj(Text)
    texts = [text.get_text() for text in written]
    fonts = fonts_for(texts)
    if len(fonts.families) > 1:
        for text in written:
            text.set_fontfamily(fonts.families)
    if not fonts.lost:
        yield
        return
    warn(_boxes(texts, fonts.lost), DataWarning)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"(?s)Glyph .* missing from", category=UserWarning)
        yield


@contextmanager
def weights_unsaid() -> Iterator[None]:
    """Inside, matplotlib does not tell that a font comes in one weight only, as many of those for other scripts do."""

    def is_wanted(record: logging.LogRecord) -> bool:
        return not record.getMessage().startswith("findfont: Failed to find font weight")

    logger = logging.getLogger("matplotlib.font_manager")
    logger.addFilter(is_wanted)
    try:
        yield
    finally:
        logger.removeFilter(is_wanted)


def _boxes(texts: Sequence[str], lost: frozenset[str]) -> str:
    hit = [text for text in dict.fromkeys(texts) if lost & set(text)]
    shown = [repr(text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "...") for text in hit]
    cjk = [unicodedata.name(letter, "").startswith(_CJK) for letter in lost]
    packages = ["fonts-noto-cjk"] * any(cjk) + ["fonts-noto-core"] * (not all(cjk))
    return (
        f"pictures in PNG and PDF show boxes for letters of {listed(shown)}: no installed font has "
        f"{listed(sorted(lost))}. Install one (Debian, Ubuntu: apt-get install {' '.join(packages)}) and draw again; "
        "SVG pictures and HTML reports hold the letters as text, for any browser that has such a font"
    )


def _known_families() -> list[str]:
    from matplotlib.font_manager import fontManager

    names = {entry.name for entry in fontManager.ttflist if entry.size == "scalable"}
    return sorted(name for name in names - {OWN} if not name.casefold().startswith(_USELESS))


def _add_new_fonts(letters: set[str]) -> None:
    """Tell matplotlib of fonts that are not on its list, which it keeps between runs, and hold some of the letters."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    known = {Path(entry.fname).resolve() for entry in fontManager.ttflist}
    for path in sorted(findSystemFonts()):
        if Path(path).resolve() not in known and _file_holds_some(path, letters):
            fontManager.addfont(path)


def _file_holds_some(path: str, letters: set[str]) -> bool:
    from matplotlib.ft2font import FT2Font

    try:
        font = FT2Font(path)
    except (OSError, RuntimeError, ValueError):
        return False  # not a font, or none that matplotlib can read
    return bool(font.scalable) and any(font.get_char_index(ord(letter)) for letter in letters)


def _held(family: str, letters: set[str], *, lacking: bool = False) -> set[str]:
    """Those of the letters that are in the font which matplotlib takes for a family, or that are not."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    with weights_unsaid():
        font = get_font(findfont(FontProperties(family=[family])))
    return {letter for letter in letters if (font.get_char_index(ord(letter)) == 0) == lacking}
