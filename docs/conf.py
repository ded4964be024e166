"""Configuration of the documentation; `catalogues.py` beside it writes the pages that are generated from the code."""

from __future__ import annotations

import sys
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from catalogues import write_catalogues  # noqa: E402  # found in the folder just added
from gallery import page, write_gallery  # noqa: E402  # likewise
from notebook import page as notebook_page  # noqa: E402  # likewise
from notebook import read as kept_notebook  # noqa: E402  # likewise

from verifier.base.version import __version__  # noqa: E402  # sorted behind it

project = "verifier"
author = copyright = "The rl-verifier maintainers"  # the name Sphinx reads
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"verifier {__version__}"
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
napoleon_google_docstring = False
napoleon_use_ivar = True
autodoc_member_order = "bysource"
autodoc_typehints = "description"
default_role = "literal"
html_extra_path = ["generated/extra"]  # copied as it is; it has to be there when this is read
(HERE / "generated" / "extra").mkdir(parents=True, exist_ok=True)


def setup(app: Sphinx) -> None:
    """Write the generated pages before anything is read."""
    app.connect("builder-inited", lambda app: write())


def write() -> None:
    """Write what is made from the code, and by running it."""
    write_catalogues(HERE / "generated")
    (HERE / "generated" / "notebook.md").write_text(notebook_page(kept_notebook()), encoding="utf-8")
    (HERE / "generated" / "gallery.md").write_text(page(), encoding="utf-8")
    write_gallery(HERE / "generated" / "extra" / "gallery")
