"""A runner of GitHub, as far as the action and the workflow of a project need one: conditions, expressions, bash, a summary."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_REFERENCE = re.compile(r"\b(inputs|runner|github)\.([\w.-]+)")


@dataclass(frozen=True)
class Step:
    """A step that was reached: what it used, or what bash said of it."""

    uses: str
    given: Mapping[str, str]
    code: int = 0
    out: str = ""


@dataclass
class Runner:
    """Runs steps one after the other, in a workspace.

    Parameters
    ----------
    workspace : Path
        The checkout.
    environment : dict
        Of the shell, without what GitHub adds.
    inputs : dict
        Of the action.
    event : dict
        What it is run for, as the context `github` has it.
    """

    workspace: Path
    environment: Mapping[str, str]
    inputs: Mapping[str, str] = field(default_factory=dict)
    event: Mapping[str, str] = field(default_factory=lambda: {"event_name": "push"})
    failed: bool = False

    @property
    def summary(self) -> Path:
        """The file that a job's summary is appended to."""
        return self.workspace.parent / "summary.md"

    def run(self, steps: list[dict[str, Any]]) -> list[Step]:
        """The steps whose conditions held."""
        return [self._step(step) for step in steps if self._wanted(str(step.get("if", "success()")))]

    def _wanted(self, condition: str) -> bool:
        if not re.search(r"\b(always|success|failure)\(\)", condition):
            condition = f"success() && ({condition})"
        return bool(self._value(condition))

    def _step(self, step: dict[str, Any]) -> Step:
        given = {key: self._text(str(value)) for key, value in step.get("with", {}).items()}
        if "uses" in step:
            return Step(step["uses"], given)
        variables = {key: self._text(str(value)) for key, value in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", self._text(step["run"])],
            cwd=self.workspace / self._text(step.get("working-directory", ".")),
            env={
                **self.environment, "CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(self.workspace),
                "GITHUB_STEP_SUMMARY": str(self.summary), **variables,
            },
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600, check=False,
        )  # fmt: skip # the variables and the streams, each in a row
        self.failed = self.failed or done.returncode != 0
        return Step("", given, done.returncode, done.stdout)

    def _text(self, text: str) -> str:
        return re.sub(r"\$\{\{(.*?)\}\}", lambda found: str(self._value(found[1])), text)

    def _value(self, expression: str) -> Any:
        """An expression, written as one of Python: strings, references, functions, `&&`, `||`, `==`, `!=`."""
        contexts = {
            "inputs": self.inputs,
            "runner": {"os": "Linux", "arch": "X64"},
            "github": {"sha": "0" * 40, "run_attempt": "1", "token": "secret", "repository": "somebody/fresh", **self.event},
        }
        functions = {
            "always": lambda: True,
            "success": lambda: not self.failed,
            "format": str.format,
            "hashFiles": lambda pattern: "some" if any(self.workspace.glob(pattern.removeprefix("./"))) else "",
        }
        python = _REFERENCE.sub(lambda found: repr(contexts[found[1]][found[2]]), expression)
        return eval(python.replace("&&", " and ").replace("||", " or ").strip(), {"__builtins__": {}}, functions)
