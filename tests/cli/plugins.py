"""Plugins made on the fly, and the command line run beside them as a user would."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

from verifier.base.load import crowding

QUICK = ("--claim", "optimism", "--regime", "oracle", "--instance", "one-step")
"""Filters that leave one trial of one claim."""


def algorithm(name: str, body: str, top: str = "", base: str = "UCBlvd", declares: str = "") -> str:
    """Source of a plugin with one algorithm: UCBlvd under another name, with something changed.

    Parameters
    ----------
    name : str
    body, top, base : str
        Of the class `Mine`, what stands before it, and what it derives from.
    declares : str
        Fields that differ from `GIVEN`, the guarantees of UCBlvd without its planted bugs, as keyword arguments.
    """
    head = """
        import os, random, signal, sys, time
        from dataclasses import replace

        import numpy as np

        from verifier import Claim, Kind, Mutant, hookimpl, instance_property, phase_property
        import verifier_ucblvd
        from verifier_ucblvd.ucblvd.algorithm import UCBlvd

        GIVEN = next(guarantees for guarantees in verifier_ucblvd.verifier_algorithms() if guarantees.name == "ucblvd")

        def of(algorithm):
            return replace(GIVEN, algorithm=algorithm, mutants=())
    """
    hook = f"@hookimpl\ndef verifier_algorithms():\n    return [replace(of(Mine), {declares})]\n"
    lines = [f'    name = "{name}"', indent(dedent(body).strip(), "    ")]
    return "\n".join([dedent(head), dedent(top), f"class Mine({base}):", *lines, hook])


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str
    record: dict[str, Any] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """Both streams with single blanks, so that line breaks do not matter."""
        return " ".join((self.out + self.err).split())

    def entry(self, name: str) -> dict[str, Any]:
        """The record's entry of an algorithm."""
        return next(item for item in self.record["algorithms"] if item["name"] == name)

    def verdicts(self, name: str) -> dict[str, str]:
        """Claim to verdict."""
        return {claim["id"].partition("/")[2]: claim["verdict"] for claim in self.entry(name)["claims"]}


class CommandLine:
    """A folder to work in and one with plugins; calling it runs a command, with a time limit that grows on a busy machine."""

    def __init__(self, folder: Path, patience: float = 120.0) -> None:
        self.patience = patience
        self.folder, self.site = folder / "work", folder / "site"
        self.folder.mkdir()
        self.site.mkdir()
        (self.folder / "pyproject.toml").write_text("")  # no other one, further up, is looked for

    def install(self, name: str, source: str, module: str = "") -> None:
        """Put a module and the metadata of a distribution with an entry point on the import path."""
        module = module or f"plugin_{name.replace('-', '_')}"
        (self.site / f"{module}.py").write_text(source)
        metadata = self.site / f"{name.replace('-', '_')}-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (metadata / "entry_points.txt").write_text(f"[verifier]\n{name} = {module}\n")

    def environment(self) -> dict[str, str]:
        """Variables of the commands: the plugins are importable, and nothing depends on the terminal."""
        path = os.pathsep.join(filter(None, [str(self.site), os.environ.get("PYTHONPATH")]))
        return {**os.environ, "PYTHONPATH": path, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}

    def start(self, *arguments: str, **options: Any) -> subprocess.Popen[str]:
        """Start a command in a session of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "verifier", *arguments],
            cwd=self.folder,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            **options,
        )

    def __call__(self, *arguments: str) -> Outcome:
        """Run a command to its end."""
        with self.start(*arguments) as process:
            try:
                out, err = process.communicate(timeout=self.patience * crowding())
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)  # else its end is waited for, which may not come
                raise
        return Outcome(process.returncode, out, err)

    def check(self, *arguments: str, file: str = "record.json") -> Outcome:
        """Run `verifier check` and read the record it writes."""
        outcome = self("check", *arguments, "--output", f"json={file}")
        path = self.folder / file
        record = json.loads(path.read_text()) if path.exists() else {}
        return Outcome(outcome.code, outcome.out, outcome.err, record)
