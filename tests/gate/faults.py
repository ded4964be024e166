"""Broken plugins as tables, and one command that runs a whole table beside an innocent algorithm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import dedent

from ..cli.plugins import CommandLine, Outcome, algorithm

INNOCENT = "ucblvd"
"""Gets its verdicts, however the others fail."""

ONE_TRIAL = ("--claim", "optimism", "--regime", "oracle", "--instance", "one-step")


@dataclass(frozen=True)
class Fault:
    """One broken plugin and what it is to be told.

    Attributes
    ----------
    source : str
        Of the module; NAME stands for the name of its algorithm.
    kind : str
        Of its error in the record; empty for any.
    words : tuple of str
        Parts of the message, on the screen and in the record.
    """

    source: str
    kind: str
    words: tuple[str, ...]

    def named(self, name: str) -> str:
        """The source for an algorithm of this name."""
        return self.source.replace("NAME", name)


def variant(body: str, kind: str, *words: str, top: str = "", declares: str = "") -> Fault:
    """An algorithm that is right but for something in its class, before it, or declared of it."""
    return Fault(algorithm("NAME", dedent(body), top, declares=declares), kind, words)


def midway(statement: str, kind: str, *words: str, top: str = "") -> Fault:
    """An algorithm that executes a statement in the middle of its run, and others before its class."""
    body = f"""
        def play(self, env, plan, *weight):
            if env.episode == 2:
                {statement}
            super().play(env, plan)
    """
    return variant(body, kind, *words, top=top)


def setting(changes: str, kind: str, *words: str, top: str = "") -> Fault:
    """An algorithm in a setting of its own, which is that of lifelong tasks but for something, after other statements."""
    before = """
        from verifier_settings.lifelong import LIFELONG

        SCENARIO = LIFELONG.scenario("one-step")

        class Lazy(tuple):
            \"""A catalogue that is made when it is asked for.\"""

            def __iter__(self):
                return iter(self[0]())
    """
    after = f"""
        @hookimpl
        def verifier_settings():
            return [replace(LIFELONG, name="setting-of-NAME", {changes})]
    """
    top = "\n".join(map(dedent, (before, top, after)))
    return Fault(algorithm("NAME", 'setting = "setting-of-NAME"', top), kind, words)


def check(
    command: CommandLine,
    faults: Mapping[str, Fault],
    *options: str,
    how: tuple[str, ...] = ("check",),
    trial: tuple[str, ...] = ONE_TRIAL,
) -> Outcome:
    """Install all plugins of a table and run them, with the innocent one last, in one command."""
    for name, fault in faults.items():
        command.install(name, fault.named(name))
    return command.check(*how[1:], *faults, INNOCENT, *trial, *options)


def require_told(outcome: Outcome, faults: Mapping[str, Fault]) -> None:
    """Every plugin has its error and no verdict but that; the innocent one has its verdicts."""
    wrong = {}
    for name, fault in faults.items():
        entry = outcome.entry(name)
        told = [(error["kind"], error["message"]) for error in entry["errors"]]
        fits = any(fault.kind in ("", kind) and all(word in message for word in fault.words) for kind, message in told)
        verdicts = {claim["verdict"] for claim in entry["claims"]} - {"error"}
        if not fits or verdicts or any(word not in outcome.words for word in fault.words):
            wrong[name] = fault.kind, fault.words, told, verdicts
    assert not wrong, wrong
    assert outcome.code == outcome.record["exit_code"] == 4, outcome
    assert outcome.entry(INNOCENT)["errors"] == [], outcome.entry(INNOCENT)["errors"]
    assert outcome.verdicts(INNOCENT) == {"optimism": "conforms"}, outcome
    assert "Traceback" not in outcome.err, outcome.err
