"""The documentation site: `python3 start.py docs`, or `python -m sphinx -W -n -b html docs build/docs`.

Everything is in the checkout: no fonts, scripts or inventories are fetched, neither by the build nor by its pages.
"""

import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]  # our helper beside this file; this checkout's package

import docstrings  # noqa: E402 (found by the line above)
import generated  # noqa: E402
import live  # noqa: E402

from closedchain.version import VERSION  # noqa: E402

project = "closedchain"
author = "the closedchain developers"
project_copyright = author
version = release = VERSION

extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["pictures", "Thumbs.db", ".DS_Store"]
myst_heading_anchors = 3  # pages link to each other's headings

default_role = "code"  # docstrings write `q`, as Markdown does
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
nitpick_ignore_regex = [("py:(class|obj|data|exc|attr|meth|func)", ".*")]  # types in signatures: most have no page here

html_theme = "furo"
html_title = f"closedchain {VERSION}"
html_copy_source = False
html_show_sourcelink = False
html_show_search_summary = False  # excerpts are fetched, which browsers refuse for pages opened as files
html_theme_options = {"navigation_with_keys": True}


def setup(app: Any) -> dict[str, bool]:
    """Fill in what is generated when a page is read, and read our docstrings for what they are."""
    app.connect("source-read", generated.fill)
    app.connect("autodoc-process-docstring", docstrings.write)
    app.connect("build-finished", generated.write_robots)
    app.add_directive("robot", live.Robot)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
