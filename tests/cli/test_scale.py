"""`verifier scale` from plugin to screen: verdicts, exit codes, the store, what is independent of the workers.

The claims that hold are called violated with nominal probability 1e-3, the error budget; the seed is fixed.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import time
from contextlib import closing

import jsonschema
import pytest

from verifier.record import schema

from .conftest import Invoke
from .plugins import CommandLine, Outcome, algorithm

TOP = """
from verifier.model.figure import Figure, FigureStatement, Reading
from verifier.model.horizon import Horizon
from verifier.model.mutant import plant
from verifier.model.scaling import BurnIn, Rate, ScalingClaim, Stated
from verifier_properties.lifelong import scaling as lifelong_scaling

LOG = Rate("log K", 0.0, 1.0, lambda public, K: np.log1p(K / public.d))

def grows(name, **changes):
    told = dict(
        source="Theorem 0", theorem="Theorem 0", statement="replans = O(log K)", regimes=("scaled(0.01)",), family="lock",
        follows="pseudo-code",
        rate=LOG, quantity="planning calls", sizes={"quick": (30, 60, 120, 240)},
        burn_in=BurnIn(lambda public, scale: 0.0, "none"),
        horizon=Horizon(lambda public, scale, K: 5.0 * np.log1p(K), lambda public, scale, K: K),
    )
    return ScalingClaim(name, lifelong_scaling.all_planning_calls, **(told | changes))

class Always(UCBlvd):
    "Replans in every episode."
    def left(self, growth):
        return np.full_like(growth, -1.0)

class Same(UCBlvd):
    "Nothing changed."
"""
DRAWN = """
scaling=(grows("drawn", figure="9"),),
figures=(
    Figure("9", "Planning calls.", "d = 5", "not printed: K", 6, "", (Reading("drawn"),), (
        FigureStatement("rarely plans", "Section 9", "planning calls at K = 240", Reading("drawn"), low=5, high=60),
        FigureStatement("like a logarithm", "Section 9", "planning calls / log(1 + K/d), last over first",
            Reading("drawn", relative=True), Reading("drawn", at="first", relative=True), low=0.5, high=2.0),
    )),
),
claims=(), clauses=(),
"""
TOLD = "claims=(), clauses=(), scaling=(grows('calls'),)"
MUTANTS = """
claims=(), clauses=(),
scaling=(
    grows("calls", alternative="always"),
    grows("calls-toothless", alternative="same"),
    grows("calls-drawn", figure="9", stated=(Stated("paper, Figure 9", 120, 9.0),)),
),
mutants=(
    plant(Mine, "always", "replans in every episode", Always, ()),
    plant(Mine, "same", "no bug at all", Same, ()),
)
"""
ALWAYS = "left = Always.left"
BROKEN = """
def run(self, env):
    yield from super().run(env)
    if self.public.K == 120:
        raise ValueError("tripped")
"""
SLOW = """
def run(self, env):
    end = time.process_time() + 0.3
    while time.process_time() < end:
        pass
    yield from super().run(env)
"""


def scale(command: CommandLine, *arguments: str, file: str = "growth.json") -> Outcome:
    outcome = command("scale", *arguments, "--seed", "3", "--budget", "5min", "--output", f"json={file}")
    path = command.folder / file
    return Outcome(outcome.code, outcome.out, outcome.err, json.loads(path.read_text()) if path.exists() else {})


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> tuple[CommandLine, Outcome]:
    command = CommandLine(tmp_path_factory.mktemp("growth"))
    for name, body in (("rare", ""), ("always", ALWAYS), ("broken", BROKEN), ("slow", SLOW)):
        command.install(name, algorithm(name, body, TOP, declares=TOLD if body else MUTANTS))
    return command, scale(command, "rare")


@pytest.mark.full
def test_growth_is_judged_and_power_is_told(shop: tuple[CommandLine, Outcome]) -> None:
    _, outcome = shop
    assert outcome.code == 0, outcome.words
    assert outcome.verdicts("rare") == {"calls": "conforms", "calls-toothless": "vacuous"}
    jsonschema.Draft202012Validator(schema()).validate(outcome.record)
    calls, toothless = (claim["regimes"][0] for claim in outcome.entry("rare")["claims"])
    assert calls["scaling"]["power"]["verdict"] == "violated"
    assert len(calls["scaling"]["points"]) == 4 * 6
    assert "a wrong algorithm (same: no bug at all) passes too" in toothless["reason"]
    ledger = outcome.entry("rare")["ledger"]
    assert ledger["spent"] == pytest.approx(1e-3)
    assert [item["level"] for item in ledger["entries"] if item["purpose"] == "reject"] == pytest.approx([5e-4, 5e-4])
    assert "for scaling rates this is nominal" in outcome.words
    assert "always is called violated: replans in every episode" in outcome.words


@pytest.mark.full
def test_the_number_of_workers_changes_nothing(shop: tuple[CommandLine, Outcome]) -> None:
    command, outcome = shop
    again = scale(command, "rare", "--jobs", "1", "--no-store", file="again.json")
    assert again.entry("rare")["claims"] == outcome.entry("rare")["claims"]


def test_finished_trials_come_from_the_store(shop: tuple[CommandLine, Outcome]) -> None:
    command, outcome = shop
    again = scale(command, "rare", file="stored.json")
    assert again.entry("rare")["trials_reused"] == again.entry("rare")["trials_finished"] == 24
    assert again.entry("rare")["claims"] == outcome.entry("rare")["claims"]


@pytest.mark.full
def test_a_linear_quantity_violates_a_logarithm(shop: tuple[CommandLine, Outcome]) -> None:
    command, _ = shop
    outcome = scale(command, "always", file="always.json")
    assert outcome.code == 1, outcome.words
    assert outcome.verdicts("always") == {"calls": "violated"}
    replay = outcome.entry("always")["claims"][0]["regimes"][0]["replay"]
    again = command("replay", replay)
    assert again.code == 0, again.words
    assert "one point of a curve, which cannot break the claim: 240.0" in again.words


@pytest.mark.full
def test_a_crash_at_one_size_is_an_error(shop: tuple[CommandLine, Outcome]) -> None:
    command, _ = shop
    outcome = scale(command, "broken", file="broken.json")
    assert outcome.code == 4, outcome.words
    assert outcome.verdicts("broken") == {"calls": "error"}
    assert "tripped" in outcome.words


def faulty(**changes: str) -> str:
    """A scaling claim of which one part is broken."""
    told = ", ".join(f"{name}={value}" for name, value in ({"sizes": "{'quick': (30, 40, 50)}"} | changes).items())
    return f"claims=(), clauses=(), scaling=(grows('calls', {told}),)"


def rate(curve: str) -> str:
    return faulty(rate=f"Rate('x', 0.0, 1.0, lambda public, K: {curve})")


def horizon(bound: str, trivial: str = "float(K)") -> str:
    return faulty(horizon=f"Horizon(lambda public, scale, K: {bound}, lambda public, scale, K: {trivial})")


FAULTS = {
    "rate-raises": (rate("1 / 0"), "crash", "ZeroDivisionError"),
    "rate-is-text": (rate("'steep'"), "crash", "scaling of rate-is-text/calls on lock, scaled(0.01)"),
    "rate-is-zero": (rate("0.0"), "contract", "the claimed rate x is 0, 0, 0"),
    "rate-is-nan": (rate("float('nan')"), "contract", "expected positive finite numbers"),
    "rate-ends-the-process": (rate("os._exit(0)"), "exit", "os._exit(0)"),
    "rate-exits": (rate("sys.exit(0)"), "exit", "SystemExit(0)"),
    "rate-hangs": (rate("time.sleep(901.5)"), "timeout", "did not finish within 4 s; raise the limit with --timeout"),
    "burn-in-raises": (faulty(burn_in="BurnIn(lambda public, scale: {}['d'], 'none')"), "crash", "KeyError: 'd'"),
    "burn-in-is-nothing": (faulty(burn_in="BurnIn(lambda public, scale: None, 'none')"), "crash", "TypeError"),
    "horizon-is-text": (horizon("'far'"), "contract", "`bound` returned 'far'"),
    "horizon-is-nan": (horizon("1.0", "float('nan')"), "contract", "`trivial` returned nan"),
}


@pytest.mark.full
def test_rates_and_horizons_that_fail_are_an_error_of_their_claim(command: CommandLine) -> None:
    for name, (declares, _, _) in FAULTS.items():
        command.install(name, algorithm(name, "", TOP, declares=declares))
    command.install("fine", algorithm("fine", "", TOP, declares=faulty()))
    outcome = scale(command, *FAULTS, "fine", "--timeout", "4s")
    assert outcome.code == 4, outcome.words
    assert "Traceback" not in outcome.err
    for name, (_, kind, words) in FAULTS.items():
        told = [(error["kind"], error["message"]) for error in outcome.entry(name)["errors"]]
        assert [item for item in told if item[0] == kind and words in item[1]], (name, told)
        assert words in outcome.words, name
        assert outcome.verdicts(name) == {"calls": "error"}, name
    assert outcome.entry("fine")["errors"] == []


def test_a_plugin_that_does_not_load_is_an_error(command: CommandLine) -> None:
    command.install("torn", "raise RuntimeError('torn')")
    outcome = scale(command, "torn")
    assert outcome.code == 4, outcome.words
    assert "torn" in outcome.words


@pytest.mark.full
def test_a_killed_campaign_goes_on_where_it_stopped(shop: tuple[CommandLine, Outcome]) -> None:
    command, _ = shop
    store = command.folder / "killed" / "results.sqlite3"
    process = command.start("scale", "slow", "--seed", "3", "--jobs", "1", "--store", "killed")
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and _rows(store) < 3:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert _rows(store) >= 3
    outcome = scale(command, "slow", "--store", "killed", file="slow.json")
    assert outcome.code == 0, outcome.words
    assert outcome.entry("slow")["trials_reused"] >= 3
    assert outcome.verdicts("slow") == {"calls": "conforms"}


def _rows(store: object) -> int:
    try:
        with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
            return int(connection.execute("SELECT count(*) FROM results").fetchone()[0])
    except sqlite3.Error:
        return 0


def test_a_figure_is_redrawn_on_demand_only(shop: tuple[CommandLine, Outcome]) -> None:
    command, outcome = shop
    assert "calls-drawn" not in outcome.words
    drawn = scale(command, "rare", "--figure", "9", file="figure.json")
    assert drawn.code == 0, drawn.words
    assert set(drawn.verdicts("rare")) == {"calls-drawn"}
    assert "paper, Figure 9: 9 at K = 120; here" in drawn.words


@pytest.mark.full
def test_a_figure_has_a_verdict_of_its_own(command: CommandLine) -> None:
    """The algorithm reproduces it, one that replans in every episode differs, and a run that is cut cannot tell."""
    for name, body in (("seldom", ""), ("each", ALWAYS), ("late", SLOW)):
        command.install(name, algorithm(name, body, TOP, declares=DRAWN))
    seldom, each = (scale(command, name, "--figure", "9", file=f"{name}.json") for name in ("seldom", "each"))
    jsonschema.Draft202012Validator(schema()).validate(seldom.record)
    (reproduced,), (differs,) = seldom.record["figures"], each.record["figures"]
    assert (reproduced["verdict"], differs["verdict"]) == ("reproduced", "differs")
    assert [curve["algorithm"] for curve in reproduced["curves"]] == ["seldom"]
    assert [statement["verdict"] for statement in differs["statements"]] == ["does not hold", "does not hold"]
    assert "Figure 9 with seldom: reproduced; 2 of 2 statements hold" in seldom.words
    late = command("scale", "late", "--figure", "9", "--budget", "1s", "--no-store", "--jobs", "1")
    assert "Figure 9 with late: cannot tell" in late.words


def test_a_budget_that_runs_out_is_no_pass(shop: tuple[CommandLine, Outcome]) -> None:
    command, _ = shop
    outcome = command("scale", "slow", "--budget", "1s", "--no-store", "--jobs", "1", "--strict")
    assert outcome.code == 3, outcome.words
    assert "trials finished within the budget" in outcome.words


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("ucblvd", "--figure", "7"), 2, "figure '7' of ucblvd is not known. Known: 1a, 1b, 3."),
        (("ucblvd", "--claim", "regert-growth"), 2, "claim 'regert-growth' is not known. Did you mean 'regret-growth'"),
        (("ucblvd", "--instance", "luck"), 2, "no scaling claim is about a family of instances 'luck'. Did you mean 'lock'?"),
        (("ucblvd", "--claim", "figure-3"), 2, "claim 'figure-3' is not known."),
        (("ucblvd", "--claim", "regret-*", "--regime", "oracle"), 2, "regime 'oracle' is not known."),
    ],
)
def test_what_does_not_exist(invoke: Invoke, arguments: tuple[str, ...], code: int, words: str) -> None:
    outcome = invoke("scale", *arguments)
    assert (outcome.code, words in outcome.words) == (code, True), outcome.words


def test_a_scaling_claim_is_replayed_on_members_of_its_family_only(invoke: Invoke) -> None:
    """Other claims are replayed on any: `verifier tight --growth` measures them there."""
    outcome = invoke("replay", "ucbvi-ch/regret-growth:random:published:0:0")
    assert outcome.code == 2
    assert "it is about members of the family lock" in outcome.words
    assert invoke("replay", "ucblvd/optimism:lock[K=30]:oracle:0:0").code == 0
