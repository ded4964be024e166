"""Pages show what commands print: the build of the documentation runs the commands and compares, and that can fail."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[2] / "docs"
SCREEN = "head\n\n  one 1.5\n    two\n\ntail\n"
PAGE = "words\n\n    $ verifier scale some\n\n      one 1.5\n        two\n\nmore words\n"


@pytest.fixture
def gallery(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(DOCS))
    return import_module("gallery")


def test_a_page_may_show_a_part_of_a_screen_and_nothing_else(gallery: ModuleType) -> None:
    shown = gallery.Shown("a", "A", "about", "verifier scale some", "page.md")
    gallery.compare(shown, PAGE, SCREEN)
    with pytest.raises(ValueError, match=r"does not print, beginning with '  one 1.6'"):
        gallery.compare(shown, PAGE.replace("1.5", "1.6"), SCREEN)
    with pytest.raises(ValueError, match="does not show what `verifier scale some` prints"):
        gallery.compare(shown, PAGE.replace("some", "all"), SCREEN)


def test_pages_that_are_compared_show_the_commands_of_the_gallery(gallery: ModuleType) -> None:
    quoted = [shown for shown in gallery.GALLERY if shown.quoted]
    assert quoted
    for shown in quoted:
        assert f"\n    $ {shown.command}\n" in (DOCS / shown.quoted).read_text(encoding="utf-8")
