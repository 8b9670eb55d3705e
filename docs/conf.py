"""The documentation site: `sphinx-build -W --keep-going -n docs site`."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from isingmap import __version__  # noqa: E402

project = "isingmap"
author = "the authors of isingmap"
release = version = __version__
extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon", "myst_parser", "command_pages"]
exclude_patterns = ["site"]

html_theme = "furo"
html_title = "isingmap"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {"navigation_with_keys": True}

myst_heading_anchors = 3
myst_enable_extensions = ["deflist"]

# Types are said in the docstrings, in words; signatures stay short.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "inherited-members": True}
autosummary_generate = False
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_param = False
napoleon_custom_sections = [("Attributes", "params_style")]
napoleon_preprocess_types = False
default_role = "code"
smartquotes = False  # two dashes are an option
# "(n_edges,) array" is no class; links that are written as such are checked.
nitpick_ignore_regex = [("py:class|py:exc", r"(?!isingmap\.).*")]

_CODE = re.compile(r"(`[^`]*`)")
_MARKUP = re.compile(r"([*|]|(?<=\w)_(?!\w))")


def plain_text(app, what, name, subject, options, lines) -> None:
    """Docstrings are plain text with code between backticks; a star or a bar in them is no markup."""
    for number, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            parts = _CODE.split(line)
            parts[::2] = [_MARKUP.sub(r"\\\1", part) for part in parts[::2]]
            lines[number] = "".join(parts)


def setup(app) -> None:
    app.connect("autodoc-process-docstring", plain_text, priority=100)
