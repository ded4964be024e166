"""The picture of the page in the README: `python docs/picture.py` makes it anew, with a headless chromium."""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from PIL.PngImagePlugin import PngInfo

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "page.png"
COMMAND = "verifier check 'ucbvi-ch~off-by-one' --instance lock"
SIZE = (1120, 900)


def main() -> None:
    """Run the command, photograph its page, and write down in the picture which command it was."""
    with tempfile.TemporaryDirectory() as folder:
        page, shot = Path(folder, "page.html"), Path(folder, "shot.png")
        words = [*shlex.split(COMMAND), "--no-store", "--output", f"html={page}"]
        subprocess.run([sys.executable, "-m", *words], cwd=folder, check=False)  # something is violated
        size = f"--window-size={SIZE[0]},{SIZE[1]}"
        options = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", size, f"--screenshot={shot}")
        subprocess.run(["chromium", *options, page.as_uri()], cwd=folder, check=True)
        told = PngInfo()
        told.add_text("command", COMMAND)
        Image.open(shot).convert("P", palette=Image.Palette.ADAPTIVE).save(PICTURE, pnginfo=told, optimize=True)


if __name__ == "__main__":
    main()
