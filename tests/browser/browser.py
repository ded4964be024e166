"""A thin layer over selenium: open a file at a width and in a colour scheme, ask the page, take its picture."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

HEIGHT = 900
LOADED = 60.0
"""Seconds until a page is there at the latest."""

_FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run")


class Browser:
    """A running browser.

    Parameters
    ----------
    browser, driver : str
        Paths of chromium and chromedriver.
    profile : Path
        An empty folder for what the browser keeps.
    """

    def __init__(self, browser: str, driver: str, profile: Path) -> None:
        options = Options()
        options.binary_location = browser
        for flag in (*_FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self._driver = webdriver.Chrome(options=options, service=Service(driver))

    def open(self, path: Path, width: int = 1400, scheme: str = "light", script: bool = True) -> None:
        """Open a file from disk, and wait until all of it is there."""
        self._command("Emulation.setScriptExecutionDisabled", value=not script)
        self.look(width, scheme)
        self._driver.get("about:blank")  # else the same file again is a reload, and what was there can be read
        self.console()
        self.requests()
        self._driver.get(path.absolute().as_uri())
        # on a busy machine `get` came back while rows of the page were still missing
        whole = "return location.protocol === 'file:' && document.readyState === 'complete'"
        WebDriverWait(self._driver, LOADED).until(lambda driver: driver.execute_script(whole))

    def look(self, width: int, scheme: str) -> None:
        """Make the window as wide as this, in this colour scheme; the page stays as it is."""
        wishes = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
        self._command("Emulation.setEmulatedMedia", features=[{"name": name, "value": value} for name, value in wishes.items()])
        self._command("Emulation.setDeviceMetricsOverride", width=width, height=HEIGHT, deviceScaleFactor=1, mobile=False)

    def ask(self, script: str, *arguments: Any) -> Any:
        """What a piece of JavaScript returns."""
        return self._driver.execute_script(script, *arguments)

    def all(self, selector: str) -> list[WebElement]:
        """Every element a CSS selector finds."""
        found: list[WebElement] = self._driver.find_elements(By.CSS_SELECTOR, selector)
        return found

    def one(self, selector: str) -> WebElement:
        """The first element a CSS selector finds."""
        return self._driver.find_element(By.CSS_SELECTOR, selector)

    def console(self) -> list[str]:
        """What the console has said since it was last asked."""
        return [str(line["message"]) for line in self._driver.get_log("browser")]

    def requests(self) -> list[str]:
        """What the page has asked the network or the disk for since this was last asked."""
        import json

        events = [json.loads(line["message"])["message"] for line in self._driver.get_log("performance")]
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]

    def screenshot(self, path: Path) -> bytes:
        """The whole page as a PNG, also written to a file."""
        width, height = self.ask("return [innerWidth, Math.min(document.documentElement.scrollHeight, 12000)]")
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        data = base64.b64decode(self._command("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)["data"])
        path.write_bytes(data)
        return data

    def print_media(self, on: bool) -> None:
        """Show the page as it is printed."""
        self._command("Emulation.setEmulatedMedia", media="print" if on else "", features=[])

    def printed_pages(self) -> int:
        """Number of pages of the page in print."""
        printed = base64.b64decode(self._driver.execute_cdp_cmd("Page.printToPDF", {})["data"])
        return len(re.findall(rb"/Type\s*/Page\b", printed))

    def close(self) -> None:
        """End the browser."""
        self._driver.quit()

    def _command(self, name: str, **parameters: Any) -> Any:
        return self._driver.execute_cdp_cmd(name, parameters)
