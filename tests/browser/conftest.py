"""A headless chromium for the tests of the HTML page.

Without one the tests are skipped, unless ``VERIFIER_NEEDS_BROWSER=1`` is set (as `.ci/run` does): then that is a failure.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from .browser import Browser

MISSING = "no chromium with chromedriver was found; on Debian: apt-get install chromium chromium-driver"


def found() -> tuple[str, str] | None:
    """Paths of the browser and of its driver."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    paths = found()
    if paths is None:
        if os.environ.get("VERIFIER_NEEDS_BROWSER") == "1":
            pytest.fail(MISSING)
        pytest.skip(MISSING)
    started = Browser(*paths, profile=tmp_path_factory.mktemp("browser"))
    yield started
    started.close()


@pytest.fixture
def screenshots(tmp_path: Path) -> Path:
    """Where a test puts its screenshots; kept with ``--basetemp``."""
    return tmp_path
