"""Claims as tests: ``pytest --verifier NAME``, and `parametrize_with_claims` for a project's own test files.

Each claim in each regime is a test, named ``NAME/CLAIM:REGIME``; the verdicts are those of `verifier check NAME`. The trials are
run once for all tests, also when pytest-xdist spreads these over several processes: one process runs them, the others wait. How
far they are is shown meanwhile, and each violation when it is found; the tests follow when all verdicts are there. Where
only some tests are selected, by ``-k`` or in another way, only their claims are evaluated, in their regimes.

A violated claim fails, and so does one that could not be run or is unfinished. One that conforms passes. All others are skipped,
with the reason: a test that could not have failed, or could not be decided, is no pass.

One broken line breaks what rests on it. Only the claims broken first fail; what follows from them is skipped, and says from
which, as long as the test of such a cause is run, and fails, too: no selection of tests passes because it leaves the cause out.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

if TYPE_CHECKING:
    from verifier.base.config import Config
    from verifier.base.option import Option
    from verifier.campaign.campaign import Campaign
    from verifier.campaign.selection import Selection
    from verifier.model.guarantees import Guarantees
    from verifier.plugins.registry import Registry
    from verifier.record import AlgorithmEntry, ClaimEntry, Record

F = TypeVar("F", bound=Callable[..., Any])

__all__ = ["ClaimCheck", "parametrize_with_claims"]


@dataclass(frozen=True)
class Run:
    """Key of a campaign; all tests with the same key share its trials.

    Parameters
    ----------
    targets : tuple of str or Guarantees
        Algorithms, groups or plugins; or guarantees that need not be installed, as of `verifier.hold`.
    settings : tuple of (str, object)
        The options of a run that were given, by name; the others are those of pyproject.toml.
    """

    targets: tuple[str | Guarantees, ...]
    settings: tuple[tuple[str, Any], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the targets."""
        return tuple(target if isinstance(target, str) else target.name for target in self.targets)

    @property
    def registry(self) -> Registry:
        """The plugins, and what was given."""
        from verifier.plugins.registry import registry

        return registry(*self.names).including([target for target in self.targets if not isinstance(target, str)])

    @classmethod
    def of(cls, targets: Sequence[str | Guarantees], given: Mapping[str, Any]) -> Run:
        """The run of some targets with these options; None stands for not given."""
        return cls(tuple(targets), tuple((name, value) for name, value in given.items() if value is not None))

    def config(self) -> Config:
        """Settings: those of pyproject.toml, and what was asked for."""
        from verifier.base.config import here, load

        return load(here()).override(**dict(self.settings))


@dataclass(frozen=True)
class ClaimCheck:
    """The check of one claim in one regime; calling it fails, skips, or returns.

    Parameters
    ----------
    run : Run
    claim : str
        Its id, e.g. ``ucblvd/optimism``.
    regime : str
        Empty for assumptions, which are of the instance alone.
    """

    run: Run
    claim: str
    regime: str

    def __str__(self) -> str:
        return f"{self.claim}:{self.regime or 'instance'}".translate(_ROUND)

    def verdict(self) -> tuple[str, str]:
        """The verdict over all instances, or ``unfinished``, and why in one sentence."""
        from verifier.record.sentence import in_words

        for algorithm, claim in self._found():
            if algorithm.unfinished and claim.verdict == "inconclusive":
                return "unfinished", f"unfinished: {algorithm.unfinished}; {in_words(claim)}"
            return claim.verdict, in_words(claim)
        failures = "; ".join(error.message for algorithm in _record(self.run).algorithms for error in algorithm.errors)
        return "error", f"{self.claim} was not evaluated: {failures or 'the campaign has no such claim any more'}"

    def _found(self) -> Iterator[tuple[AlgorithmEntry, ClaimEntry]]:
        """The claim in its regime, and the algorithm it is of."""
        from verifier.record.sentence import in_regime

        for algorithm in _record(self.run).algorithms:
            for claim in algorithm.claims:
                if claim.id == self.claim:
                    yield algorithm, in_regime(claim, self.regime)

    def shown(self) -> str:
        """End of a violated claim's failure message: the first broken line, the smallest instance, the command to run."""
        from verifier.base.replaying import command

        lines = []
        for algorithm, claim in self._found():
            first = [other for other in algorithm.claims if other.name in (claim.broken_by or (claim.name,))]
            for cause in first:
                told = f": {cause.difference}" if cause.difference else ""
                lines.append(f"First broken: {cause.id} ({cause.source}){told}")
            tables = next((cause.counterexample for cause in (claim, *first) if cause.counterexample), "")
            smallest = "The smallest instance on which it was seen to fail, and the command that runs that again:"
            lines += ["", smallest, *tables.splitlines(), ""] if tables else []
            if (decides := claim.deciding) is not None and decides.replay:
                lines.append(f"The trial told of above, again: {command(decides.replay, decides.project, decides.record)}")
        return "\n".join(lines)

    def because(self) -> str:
        """The id of a claim broken first, if this one is violated because of it and a test of it fails in this test run."""
        algorithm = self.claim.partition("/")[0]
        claims = (claim for entry in _record(self.run).algorithms for claim in entry.claims if claim.id == self.claim)
        causes = {f"{algorithm}/{cause}" for claim in claims for cause in claim.broken_by}
        failing = (other for other in _collected if other.run == self.run and other.claim in causes)
        return next((other.claim for other in failing if other.verdict()[0] == "violated"), "")

    def __call__(self) -> None:
        """Fail if the claim is violated or could not be run, skip if nothing can be said or it is a consequence, else return.

        Raises
        ------
        pytest.fail.Exception, pytest.skip.Exception
        """
        from verifier.base.plain import harmless

        verdict, sentence = self.verdict()
        sentence = harmless(sentence)
        if verdict == "violated" and (cause := self.because()):
            pytest.skip(f"follows from {cause}, which fails: {sentence}")
        if verdict == "violated":
            pytest.fail(f"{sentence}\n{harmless(self.shown())}".rstrip(), pytrace=False)
        if verdict in ("error", "unfinished"):
            pytest.fail(sentence, pytrace=False)
        if verdict != "conforms":
            pytest.skip(sentence)


_ROUND = str.maketrans("[]", "()")
"""Names of tests have brackets already, where pytest writes them."""

_LOAD = "/load"
"""Stands for the claims of what does not load."""

_collected: list[ClaimCheck] = []
"""Checks of the tests that are run, once these were selected."""

_running: list[pytest.Config] = []
"""Configuration of the test run, once tests were selected."""
_asked: dict[str, Any] = {}
"""The options of the command line, by their names in the configuration; None where one was not given."""


def parametrize_with_claims(
    algorithms: Sequence[str | Guarantees], *, profile: str | None = None, seed: int | None = None, budget: str | None = None
) -> Callable[[F], F]:
    """Run a test function once for each claim and regime of some algorithms.

    Parameters
    ----------
    algorithms : sequence of str or Guarantees
        Names of algorithms, groups or plugins, as for `verifier check`; or what `verifier.hold` returns of your own agent.
    profile : {"quick", "standard", "deep"}, optional
    seed : int, optional
        Master seed.
    budget : str, optional
        Processor time of all trials, e.g. ``"90s"``. What is left out is as the options ``--verifier-profile``, ``-seed`` and
        ``-budget`` say, or else as in ``[tool.verifier]`` of pyproject.toml.

    Returns
    -------
    callable
        The decorator. The test function takes an argument ``check``, a `ClaimCheck`, and calls it.

    Raises
    ------
    UsageError
        If there is no such algorithm.

    Examples
    --------
    >>> @parametrize_with_claims(["ucblvd"])
    ... def test_claim(check):
    ...     check()
    """
    written: dict[str, Any] = {"profile": profile, "seed": seed, "budget": budget}
    given = _asked | {name: value for name, value in written.items() if value is not None}
    checks = _planned(Run.of(algorithms, given))
    return pytest.mark.parametrize("check", checks, ids=[str(check) for check in checks])


@cache
def _planned(run: Run) -> list[ClaimCheck]:
    """Checks of a campaign, one for each claim and regime that it evaluates, in the order of its plan."""
    from verifier.commands.check import resolve
    from verifier.model.claim import Kind

    names, broken = resolve(run.registry, run.names)
    checks = [ClaimCheck(run, entry.name + _LOAD, "") for entry in broken]
    for subject in _campaign(run, names).subjects:
        for claim in (*subject.claims, *subject.faulty):
            regimes = dict.fromkeys(cell.regime.name for cell in subject.cells if claim.name in cell.tallies)
            if claim.kind is Kind.ASSUMPTION or not regimes:
                regimes[""] = None
            checks += [ClaimCheck(run, f"{subject.name}/{claim.name}", regime) for regime in regimes]
    return checks


def _campaign(run: Run, names: tuple[str, ...]) -> Campaign:
    from verifier.base.profile import PROFILES
    from verifier.campaign.campaign import Campaign
    from verifier.campaign.selection import Selection

    config = run.config()
    profile = PROFILES[config.profile].within(config.budget)
    return Campaign(run.registry, Selection(names), profile, config)


@cache
def _record(run: Run) -> Record:
    """The record of a campaign, run by the first process of a test run that asks for it, and read by the others."""
    uid = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if uid is None:
        return _checked(run)
    from filelock import FileLock

    from verifier.base import folders
    from verifier.record import Record

    folder = folders.hold(Path(tempfile.gettempdir()) / f"{folders.PREFIX}{uid}")
    name = hashlib.sha256(repr((run.names, run.settings, _selection(run), os.getcwd())).encode()).hexdigest()[:16]
    with FileLock(folder / f"{name}.lock"):
        file = folder / f"{name}.json"
        if not file.exists():
            file.write_text(json.dumps(_checked(run).to_json()), encoding="utf-8")
    return Record.from_json(json.loads(file.read_text(encoding="utf-8")))


def _selection(run: Run) -> Selection:
    """Claims and regimes of the tests that were selected; an empty selection if none was left out."""
    from verifier.campaign.selection import Selection

    chosen = [check for check in _collected if check.run == run and not check.claim.endswith(_LOAD)]
    if not chosen or len(chosen) >= sum(not check.claim.endswith(_LOAD) for check in _planned(run)):
        return Selection(())
    claims, regimes = (
        dict.fromkeys(part for part in parts if part) for parts in zip(*((c.claim, c.regime) for c in chosen), strict=True)
    )
    return Selection((), tuple(claims), tuple(regimes))


def _checked(run: Run) -> Record:
    from verifier.adapters.pytest_progress import shown_by
    from verifier.commands.check import check
    from verifier.trials.lenient_store import lenient
    from verifier.trials.store import NullStore

    config = run.config()
    installed = all(isinstance(target, str) for target in run.targets)
    # nothing tells when what is not installed changes, so that its trials are not kept
    with lenient(config.store) if installed else NullStore() as store:
        progress = shown_by(_running[0] if _running else None)
        return check(run.registry, run.names, _selection(run), config, store, ("pytest",), progress)


# The command-line option -----------------------------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of pytest."""
    group = parser.getgroup("verifier", "verifier: claims of algorithms as tests")
    group.addoption(
        "--verifier", action="append", default=[], metavar="NAME", help="test every claim of this algorithm, group or plugin"
    )
    for name, option in _options().items():
        kind: dict[str, Any] = {"metavar": option.metavar, "type": option.type or str}
        if option.negated:
            kind = {"action": argparse.BooleanOptionalAction}
        text = f"{option.help[:1].lower()}{option.help[1:].rstrip('.')}"
        group.addoption(f"--verifier-{name.replace('_', '-')}", dest=f"verifier_{name}", default=None, help=text, **kind)


def _options() -> dict[str, Option]:
    """The options of a run that tests have: what is made of a verdict is for pytest to say."""
    from verifier.base.config import options
    from verifier.base.option import Place

    return {name: option for name, option in options().items() if option.place in (Place.RUN, Place.TRIAL)}


def pytest_configure(config: pytest.Config) -> None:
    """Keep the options for tests that are written with claims, which are made while their module is imported."""
    from verifier.base.errors import VerifierError

    _asked.update({name: config.getoption(f"verifier_{name}") for name in _options()})
    if any(value is not None for value in _asked.values()):
        try:
            Run.of((), _asked).config()
        except VerifierError as error:
            raise pytest.UsageError(f"--verifier: {error}") from None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add an item for each claim and regime of the algorithms asked for."""
    targets = tuple(config.getoption("--verifier"))
    if not targets:
        return
    from verifier.base.errors import VerifierError

    try:
        checks = _planned(Run.of(targets, _asked))
    except VerifierError as error:
        raise pytest.UsageError(f"--verifier: {error}") from None
    items.extend(ClaimItem.from_parent(session, name=str(check), nodeid=f"verifier::{check}", check=check) for check in checks)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Remember which claims are tested in this run."""
    parameters = (getattr(item, "callspec", None) for item in session.items)
    found = (found for known in parameters if known is not None for found in known.params.values())
    own = (item.check for item in session.items if isinstance(item, ClaimItem))
    _running[:] = [session.config]
    _collected[:] = [check for check in (*found, *own) if isinstance(check, ClaimCheck)]


class ClaimItem(pytest.Item):
    """The test of one claim in one regime."""

    def __init__(self, *, check: ClaimCheck, **given: Any) -> None:
        super().__init__(**given)
        self.check = check

    def runtest(self) -> None:
        """Run the campaign unless another item has, and look at the verdict."""
        self.user_properties.append(("verdict", self.check.verdict()[0]))
        self.check()

    def reportinfo(self) -> tuple[Path, None, str]:
        """Place of the test for reports: its file without a line, and its name."""
        return self.path, None, self.name
