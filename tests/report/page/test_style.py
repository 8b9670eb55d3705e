"""The style of the pages: colours that can be read, light and dark, and no rule for what no page has."""

import re
from importlib.resources import files

import pytest

FOLDER = files("isingmap.report.page")
STYLE = (FOLDER / "page.css").read_text(encoding="utf-8")
LIGHT, DARK, PRINT = (
    dict(re.findall(r"--(\w+): #(\w+)", block)) for block in re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
)


def luminance(colour):
    """Of WCAG 2."""
    digits = colour if len(colour) == 6 else "".join(2 * digit for digit in colour)
    parts = [int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_that_of_the_standard():
    assert contrast("000", "ffffff") == pytest.approx(21) and contrast("777777", "fff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("colours", [LIGHT, DARK, LIGHT | PRINT], ids=["light", "dark", "print"])
def test_text_can_be_read_on_all_that_is_below_it(colours):
    for ground in ("paper", "panel", "mark"):
        for text in ("ink", "soft", "accent"):
            assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    assert contrast(colours["rim"], colours["paper"]) >= 3


def test_every_rule_is_of_something():
    names = {name[1:] for name in re.findall(r"[.#][a-zA-Z][\w-]*", re.sub(r"\{[^{}]*\}", "{}", STYLE))}
    pages = [file.read_text(encoding="utf-8") for file in FOLDER.iterdir() if file.name.endswith((".html", ".js"))]
    ours = [text for text in pages if len(text) < 100_000]  # without d3
    unused = [name for name in names if not any(re.search(rf"\b{name}\b", text) for text in ours)]
    assert len(names) > 30 and unused == []
