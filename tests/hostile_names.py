"""Names of columns that run, or mean something else, where they are not escaped."""

NAMES = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    '" onmouseover="alert(3)',
    "=cmd()|' /C calc'!A0",
    "{{ 7 * 7 }} \N{RIGHT-TO-LEFT OVERRIDE}live",
    "plain",
)

# Groups whose names are code, too.
GROUPS = ("<img src=y onerror=alert(5)>", "</script>{{ 7 * 7 }}")

# Names that some program splits, trims, joins, computes or takes for something else.
LABELS = (
    "NA", "TRUE", "null", "NaN", "Inf", "1e5", "0123", "1", "-5", "0x1F", "1,5", "2026-11-29", "a b", "a,b", "a;b",
    "a\tb", "a\nb", "a\r\nb", "a\rb", "x\u2028y", 'say "x"', "it's", "'quoted'", "=1+1", "'=1+1", "+x", "@sum", "#x",
    "\\x1b", "\x1b[31m", "&amp;", "]]>", "\u7761\u7720", "e\u0301", "\u00e9", "\u05e9\u05dc\u05d5\u05dd", "\U0001f600",
    " lead", "trail ", "\u00a0", "\u3000", "name", "source", "field", "n" * 3000,
)  # fmt: skip
