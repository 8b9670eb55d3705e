"""Names of columns that run, or mean something else, where they are not escaped."""

NAMES = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    '" onmouseover="alert(3)',
    "=cmd()|' /C calc'!A0",
    "{{ 7 * 7 }} \N{RIGHT-TO-LEFT OVERRIDE}live",
    "plain",
)
