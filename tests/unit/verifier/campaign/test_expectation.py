"""Claims over seeds in a campaign: a toy setting whose runs are two draws, one algorithm, one claim of every sort.

The seeds are fixed; a correct claim is called violated with probability 1e-3 over all of them (the error budget), and a
wrong one conforms with probability 0.01 each (the certify level).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from verifier import PSEUDO_CODE, UNBOUNDED, Algorithm, Claim, Guarantees, Inequality, Kind, record, run_property
from verifier.base.config import Config
from verifier.base.errors import ContractError
from verifier.base.profile import PROFILES
from verifier.campaign.campaign import Campaign
from verifier.campaign.monitors import monitor_of
from verifier.campaign.selection import Selection
from verifier.commands.explain import explain
from verifier.commands.replay import ReplayId, describe
from verifier.model.property import Property, instance_property, phase_property
from verifier.model.setting import Scenario, Seeds, Session, Setting
from verifier.plugins.registry import Registry
from verifier.statistics import RateMonitor
from verifier.trials.stored import decode, encode
from verifier.trials.trial import run

from ....power.harness import run as run_campaign

# -- a setting without delta: the view on a run is a pair of uniform draws ------------------------------------------------

Draws = tuple[float, float]


class TwoDraws(Session[Any]):
    def __init__(self, seeds: Seeds) -> None:
        self.environment = None
        self._draws = (float(seeds.environment.random()), float(seeds.environment.random()))

    def oracle(self, of: str, step: int, subject: Any) -> float:
        return 0.0

    def realised_error(self, of: str, step: int, subject: Any) -> Any:
        return subject

    def observe(self, plan: Any, widths: Any) -> None:
        return None

    def finish(self) -> tuple[None, Draws]:
        return None, self._draws

    def digest(self) -> str:
        return repr(self._draws)


class Drawing(Setting[str, Any]):
    def public(self, instance: str, hidden: frozenset[str] = frozenset()) -> str:
        return instance


DRAWING = Drawing(
    name="drawing",
    description="for tests",
    catalogue=tuple(Scenario(name, "two draws", lambda rng: "draws") for name in ("here", "there")),
    session=lambda instance, seeds, yields: TwoDraws(seeds),
    parameters=lambda instance: {},
)


def mean(name: str, statement: Any, resolution: float = 0.0) -> Claim:
    """A claim in expectation about the inequality that a function makes of the two draws."""
    prop = Property(name, "run", lambda view: statement(*view), frozenset(), "")
    return Claim(name, prop, "Lemma 1", "Theorem 1", "E[v] <= E[b]", Kind.EXPECTATION, resolution=resolution, follows=PSEUDO_CODE)


def chance(name: str, limit: float, allowed: float) -> Claim:
    prop = Property(name, "run", lambda view: Inequality(view[0], limit, trivial=1.0), frozenset(), "")
    return Claim(name, prop, "Lemma 2", "Theorem 1", "v <= b", Kind.PROBABILITY, chance=allowed, follows=PSEUDO_CODE)


class Drawer(Algorithm):
    name = "drawer"
    title = "Drawer"
    paper = "none"
    setting = "drawing"
    regimes = ("published",)

    @classmethod
    def published_width(cls, public: Any, of: str) -> float:
        return 1.0

    def run(self, env: Any) -> Iterator[Any]:
        yield from ()


DRAWER = Guarantees(
    Drawer,
    (
        mean("slack", lambda u, v: Inequality(u, 0.8, trivial=1.0)),
        mean("false", lambda u, v: Inequality(u, 0.2, trivial=1.0)),
        mean("false-unlimited", lambda u, v: Inequality(9.0 * u, 0.5, trivial=UNBOUNDED)),
        mean("equality", lambda u, v: Inequality(u, v, trivial=1.0, ceiling=1.0)),
        mean("equality-within", lambda u, v: Inequality(u, v, trivial=1.0, ceiling=1.0), resolution=0.5),
        mean("unlimited", lambda u, v: Inequality(u, 0.9, trivial=UNBOUNDED)),
        mean("empty", lambda u, v: Inequality(u, 3.0, trivial=1.0)),
        mean("idle", lambda u, v: Inequality(u, 0.9, trivial=1.0, premise=False)),
        chance("rare", 0.999, 0.1),
        chance("not-rare", 0.5, 0.1),
    ),
)


def registry(*claims: Claim) -> Registry:
    guarantees = replace(DRAWER, claims=claims) if claims else DRAWER
    return Registry(guarantees={"drawer": guarantees}, settings={"drawing": DRAWING}, plugin_of={"drawer": ("toy", "1")})


def campaign(known: Registry, seed: int = 0, trials: int = 150, least: int = 80) -> tuple[Campaign, record.AlgorithmEntry]:
    found = Campaign(
        known, Selection(("drawer",)), replace(PROFILES["quick"], budget=1e9, trials=trials, least=least), Config(seed=seed)
    )
    run_campaign(found, known)
    return found, found.entry(found.subjects[0], "toy", "1", "")


@pytest.fixture(scope="module")
def entry() -> record.AlgorithmEntry:
    return campaign(registry())[1]


def line(entry: record.AlgorithmEntry, claim: str) -> record.RegimeEntry:
    found = {item.id: item for item in entry.claims}[f"drawer/{claim}"]
    return found.regimes[0]


def test_every_verdict(entry: record.AlgorithmEntry) -> None:
    assert entry.errors == ()
    assert {claim.id.partition("/")[2]: claim.verdict for claim in entry.claims} == {
        "slack": "conforms",
        "false": "violated",
        "false-unlimited": "violated",
        "equality": "inconclusive",
        "equality-within": "conforms",
        "unlimited": "inconclusive",
        "empty": "vacuous",
        "idle": "not applicable",
        "rare": "conforms",
        "not-rare": "violated",
    }


def test_what_the_record_says_of_a_mean(entry: record.AlgorithmEntry) -> None:
    slack = line(entry, "slack")
    assert slack.bound == pytest.approx(0.8)
    assert slack.trials == 80, "of 150 that are run for other claims"
    assert slack.value == pytest.approx(0.5, abs=0.15)
    assert slack.ratio == pytest.approx(slack.value / slack.bound)
    assert slack.margin == pytest.approx(slack.bound - slack.value)
    assert (slack.comparisons, slack.powered, slack.violations, slack.failures) == (slack.trials, slack.trials, 0, 0)
    assert slack.interval is not None
    assert slack.interval[0] < slack.value < slack.interval[1] < 1.0
    assert (slack.detectable.kind, 0.8 < slack.detectable.value < 1.0) == ("mean", True)
    assert slack.reason.endswith(f"over {slack.trials} seeds: the mean is at most the bound (level 0.01, decided after 6)")
    wrong = line(entry, "false")
    assert (wrong.violations, wrong.failures, wrong.detectable.kind) == (1, 0, "none")
    assert wrong.value > wrong.bound
    assert "the mean is above the bound (level 5.0e-05, decided after 20)" in wrong.reason
    assert line(entry, "equality").detectable.kind == line(entry, "unlimited").detectable.kind == "none"
    assert line(entry, "equality").interval is not None
    assert line(entry, "unlimited").interval is None
    assert "the bound is 3, above the trivial bound 1" in line(entry, "empty").reason


def test_a_rate_says_whose_it_is(entry: record.AlgorithmEntry) -> None:
    assert "the failure rate is at most 0.1 (level 0.01, decided after 53 trials)" in line(entry, "rare").reason
    monitor = monitor_of(chance("c", 0.5, 0.25), "a public part without delta", 1e-3, 0.01)
    assert isinstance(monitor, RateMonitor)
    assert monitor.test.delta == 0.25

    class Public:
        delta = 0.1

    about_delta = replace(chance("c", 0.5, 0.25), chance=0.0, failure_probability=2.0)
    monitor = monitor_of(about_delta, Public, 1e-3, 0.01)
    assert isinstance(monitor, RateMonitor)
    assert monitor.test.delta == pytest.approx(0.2)
    assert "more clean trials would certify a rate of at most 2 delta = 0.2" in monitor.reason()
    with pytest.raises(ContractError, match="probability 2 delta, but the public part of the instance has no field delta"):
        monitor_of(about_delta, "a public part without delta", 1e-3, 0.01)


def test_one_budget_for_all_planned_tests(entry: record.AlgorithmEntry) -> None:
    rejecting = [item for item in entry.ledger.entries if item.purpose == "reject"]
    # Ten statistical claims at two instances each; certifying has its own level.
    assert len(rejecting) == 2 * len(DRAWER.claims)
    assert {item.level for item in rejecting} == {1e-3 / 20}
    assert entry.ledger.spent == pytest.approx(1e-3)
    assert {item.level for item in entry.ledger.entries if item.purpose == "certify"} == {0.01}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(20))
def test_true_claims_are_not_called_violated(seed: int) -> None:
    # Error budget 1e-3 for each seed: one of the 20 fails with probability at most 0.02.
    true = [claim for claim in DRAWER.claims if claim.name in ("slack", "equality", "unlimited", "rare")]
    verdicts = {claim.verdict for claim in campaign(registry(*true), seed, trials=40)[1].claims}
    assert "violated" not in verdicts


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", ["slack", "false", "equality-within", "rare", "not-rare"])
def test_a_test_takes_in_the_same_trials_whatever_is_selected_beside_it(name: str) -> None:
    """At the same level, too: claims that are not selected have their share of the error budget."""
    profile = replace(PROFILES["quick"], budget=1e9, trials=150, least=10)
    alone = Campaign(registry(), Selection(("drawer",), claims=(name,)), profile, Config())
    run_campaign(alone, alone.registry)
    beside, _ = campaign(registry(), least=10)
    for one, many in zip(alone.cells, beside.cells, strict=True):
        assert many.consumed == 150
        assert one.tallies.keys() == {name}
        tallies = [replace(cell.tallies[name], worst=None) for cell in (one, many)]
        assert tallies[0] == tallies[1]
    told = alone.entry(alone.subjects[0], "toy", "1", "").ledger
    assert {item.level for item in told.entries if item.purpose == "reject"} == {1e-3 / 20}
    assert told.spent == pytest.approx(1e-3 / len(DRAWER.claims))


def test_a_cell_stops_when_every_test_has_decided() -> None:
    decided = [claim for claim in DRAWER.claims if claim.name in ("slack", "false")]
    found, _ = campaign(registry(*decided))
    for cell in found.cells:
        assert 80 <= cell.consumed < 150
        assert not any(tally.undecided for tally in cell.tallies.values())
    found, _ = campaign(registry(*decided, mean("tie", lambda u, v: Inequality(0.5, 0.5, trivial=1.0))), trials=60)
    assert [cell.consumed for cell in found.cells] == [60, 60]


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (lambda u, v: Inequality(u, v, trivial=1.0), "claim 'odd': .* have to be known before the run"),
        (lambda u, v: Inequality(-u, v, trivial=1.0, ceiling=1.0), "claim 'odd': .* is negative"),
        (lambda u, v: Inequality(u, v, trivial=0.0, ceiling=1.0), "correct `trivial`"),
    ],
)
def test_a_property_that_breaks_the_contract_is_an_error_and_no_verdict(statement: Any, message: str) -> None:
    odd = mean("odd", statement)
    _, entry = campaign(registry(odd), trials=20)
    assert [claim.verdict for claim in entry.claims] == ["error"]
    assert {error.kind for error in entry.errors} == {"contract"}
    assert all(re.search(message, error.message) for error in entry.errors)


def test_replay_shows_one_run_and_does_not_call_it_broken(entry: record.AlgorithmEntry) -> None:
    wanted = ReplayId.parse(line(entry, "false").replay)
    result = run(wanted.spec, DRAWER, DRAWING)
    assert result.measurements["false"].violations == 0
    text = describe(next(claim for claim in DRAWER.claims if claim.name == "false"), wanted, result)
    assert "about the mean over runs, of which this is one" in text
    assert "left side" in text
    assert "FAIL" not in text
    assert repr(decode(encode(result))) == repr(result), "repr, because NaN is not equal to itself"


def test_explain_says_how_it_is_decided() -> None:
    known = registry()
    assert "expectation, certified as at most 1.5 times the bound" in explain(known, "drawer/equality-within")
    assert "probability, may fail with probability 0.1\n" in explain(known, "drawer/rare")
    assert "the mean of the left side over runs" in explain(known, "expectation")


# -- contracts -------------------------------------------------------------------------------------------------------


def view(_: Any) -> Inequality:
    return Inequality(0.0, 1.0, trivial=UNBOUNDED)


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        (Kind.PROBABILITY, {}, "needs exactly one of them"),
        (Kind.PROBABILITY, {"chance": 0.1, "failure_probability": 1.0}, "needs exactly one of them"),
        (Kind.PROBABILITY, {"chance": 1.0}, "a probability below 1"),
        (Kind.PROBABILITY, {"chance": -0.1}, "a probability below 1"),
        (Kind.PROBABILITY, {"chance": math.nan}, "a probability below 1"),
        (Kind.PROBABILITY, {"failure_probability": -1.0}, "a positive multiple of delta"),
        (Kind.ALWAYS, {"chance": 0.1}, "any other kind needs 0 for both"),
        (Kind.EXPECTATION, {"failure_probability": 1.0}, "any other kind needs 0 for both"),
        (Kind.EXPECTATION, {"resolution": -0.1}, "resolution is -0.1"),
        (Kind.EXPECTATION, {"resolution": math.inf}, "resolution is inf"),
        (Kind.ALWAYS, {"resolution": 0.1}, "any other kind needs 0"),
        (Kind.PROBABILITY, {"chance": 0.1, "resolution": 0.1}, "any other kind needs 0"),
    ],
)
def test_numbers_that_do_not_go_with_the_kind(kind: Kind, options: dict[str, float], message: str) -> None:
    made = Claim("c", run_property()(view), "s", "t", "x <= y", kind, **options)
    assert re.search(message, made.wrong)


def test_a_mean_is_taken_over_runs() -> None:
    for prop in (phase_property()(view), instance_property()(view)):
        made = Claim("c", prop, "s", "t", "x <= y", Kind.EXPECTATION)
        assert re.search("a mean is taken over runs, so give it a @run_property", made.wrong)


def test_how_much_a_claim_may_fail() -> None:
    made = Claim("c", run_property()(view), "s", "t", "x <= y", Kind.PROBABILITY, failure_probability=1.0)
    assert made.allowed == "delta"
    assert replace(made, failure_probability=2.0).allowed == "2 delta"
    assert replace(made, failure_probability=0.0, chance=0.05).allowed == "0.05"
    always = Claim("c", run_property()(view), "s", "t", "x <= y", Kind.ALWAYS)
    assert always.allowed == ""
    with pytest.raises(ContractError, match="which no statistical test decides"):
        monitor_of(always, None, 0.1, 0.1)
