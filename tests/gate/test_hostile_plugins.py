"""What a hostile or careless plugin can do: its documented code and message in time, and everybody else's verdicts.

The commands run whole tables at once. What plugins do that fail to load, and many faults of single runs, is in
``tests/cli/test_broken_plugins.py`` and ``tests/cli/test_misbehaviour.py``.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from verifier.base.load import crowding

from ..cli.plugins import CommandLine, algorithm
from . import cheats, declarations, outcomes, runs
from .faults import INNOCENT, ONE_TRIAL, Fault, check, require_told

LIMITS = ("--memory", "500", "--jobs", "2")
PUBLISHED = ("--claim", "optimism", "--regime", "published", "--instance", "one-step")
BLIND = pytest.param(("--blind",), id="blind", marks=pytest.mark.deep)  # agents in processes of their own: minutes
MODES = pytest.mark.parametrize("mode", [pytest.param((), id="plain"), BLIND])
SHORT, LONGER, LONGEST = 6.0, 12.0, 20.0
"""Seconds; enough for the innocent algorithm on a busy machine: alone, beside four others, and with an interpreter each."""


@pytest.fixture
def command(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path)


def left_running() -> list[str]:
    """Programs and copies of workers that faults have started: all of these sleep for 901.5 s."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"901.5" in words:
            found.append(entry.parent.name)
    return found


@pytest.mark.one_in(4)
@MODES
@pytest.mark.parametrize("table", ["ENDS", "RAISES", "YIELDS", "SHARES"])
def test_faults_of_runs(table: str, mode: tuple[str, ...], command: CommandLine) -> None:
    faults: dict[str, Fault] = getattr(runs, table)
    outcome = check(command, faults, *LIMITS, *mode)
    require_told(outcome, faults)
    outcomes.compare(outcome, faults, bool(mode))
    assert left_running() == []


@pytest.mark.full
@MODES
def test_hanging_runs_are_ended_with_all_they_have_started(mode: tuple[str, ...], command: CommandLine) -> None:
    faults, busy = runs.HANGS, crowding()
    before, limit = time.monotonic(), LONGEST if mode else LONGER
    outcome = check(command, faults, "--memory", "500", "--jobs", "5", "--timeout", f"{limit}s", *mode)
    require_told(outcome, faults)
    outcomes.compare(outcome, faults, bool(mode))
    assert time.monotonic() - before < 60 * max(busy, crowding()), "time limits grow on a busy machine"
    assert left_running() == []


@pytest.mark.full
@MODES
def test_faults_of_declarations(mode: tuple[str, ...], command: CommandLine) -> None:
    faults = declarations.LOADS | declarations.PROPERTIES | declarations.SETTINGS
    outcome = check(command, faults, *LIMITS, *mode)
    require_told(outcome, faults)
    outcomes.compare(outcome, faults, bool(mode))


@pytest.mark.full
@MODES
def test_faults_of_what_the_published_constants_need(mode: tuple[str, ...], command: CommandLine) -> None:
    faults = declarations.WIDTHS | declarations.HORIZONS
    outcome = check(command, faults, *LIMITS, *mode, trial=PUBLISHED)
    assert outcome.verdicts(INNOCENT) == {"optimism": "vacuous"}
    outcome.entry(INNOCENT)["claims"][0]["verdict"] = "conforms"  # as on the other trials
    require_told(outcome, faults)
    outcomes.compare(outcome, faults, bool(mode))


@pytest.mark.full
def test_declarations_that_hang_are_given_up(command: CommandLine) -> None:
    faults = declarations.HANGS
    outcome = check(command, faults, *LIMITS, "--timeout", f"{SHORT}s", trial=PUBLISHED)
    outcome.entry(INNOCENT)["claims"][0]["verdict"] = "conforms"
    require_told(outcome, faults)
    outcomes.compare(outcome, faults, blind=False)


@pytest.mark.full
def test_an_algorithm_that_is_there_twice_is_an_error(command: CommandLine) -> None:
    command.install("twin", algorithm("twin", "").replace("return [", "return 2 * ["))
    outcome = command.check("twin", INNOCENT, *ONE_TRIAL)
    assert outcome.code == 4
    assert "algorithm 'twin' is already provided by plugin 'twin'; rename one of them" in outcome.words
    assert outcome.verdicts(INNOCENT) == {"optimism": "conforms"}


@pytest.mark.full
@pytest.mark.parametrize("told", [cheats.SEES | cheats.SENDS, cheats.WRITES], ids=["sees", "writes"])
def test_cheating_has_an_error_in_blind_mode_alone(told: dict[str, Fault], command: CommandLine) -> None:
    seeing = check(command, told, "--jobs", "2")
    assert seeing.code == 0
    outcomes.compare(seeing, told, blind=False)
    blind = command.check(*told, INNOCENT, *ONE_TRIAL, "--blind", "--jobs", "2")
    require_told(blind, told)
    outcomes.compare(blind, told, blind=True)
    assert blind.record["profile"]["blind"] is True
    assert "seed 0, blind" in blind.words


@pytest.mark.full
def test_what_the_page_leaves_to_others_gets_a_clean_report_in_blind_mode_too(command: CommandLine) -> None:
    beyond = {name: fault for faults in cheats.BEYOND.values() for name, fault in faults.items()}
    seeing = check(command, beyond, "--jobs", "2")
    assert seeing.code == 0
    outcomes.compare(seeing, beyond, blind=False)
    blind = command.check(*beyond, INNOCENT, *ONE_TRIAL, "--blind", "--jobs", "2")
    outcomes.compare(blind, beyond, blind=True)
    assert [blind.verdicts(name) for name in beyond] == [{"optimism": "conforms"}] * len(beyond)


@pytest.mark.full
def test_blind_results_are_kept_apart_and_equal(command: CommandLine) -> None:
    several = ("lifelong-lsvi", "--regime", "oracle", "--instance", "few-episodes")
    records = [command.check(*several, *mode).record for mode in ((), ("--blind",), ("--blind",))]
    entries = [record["algorithms"][0] for record in records]
    assert [entry["trials_reused"] for entry in entries] == [0, 0, entries[2]["trials_finished"]]
    assert entries[0]["claims"] == entries[1]["claims"] == entries[2]["claims"]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("name", "factor"), [("width-too-small", 0.5), ("width-too-large", 2.0)])
def test_constants_other_than_the_theorems_are_a_violation(name: str, factor: float, command: CommandLine) -> None:
    command.install(name, declarations.width(f"return {factor} * super().published_width(public, of)", "").named(name))
    outcome = command.check(name, INNOCENT, "--claim", "width", "--regime", "published", "--instance", "one-step")
    assert outcome.code == 1
    assert outcome.verdicts(name) == {"width": "violated"}
    assert outcome.verdicts(INNOCENT) == {"width": "conforms"}
    assert "verifier replay" in outcome.out


LEAVES = """
import atexit, os, posix, sys, threading, time
real = os._exit
atexit.register(lambda: posix._exit(0))
atexit.register(lambda: real(0))
atexit.register(lambda: os._exit(0))
"""
THREADS = """
def later():
    time.sleep(1.0)
    os._exit(0)
threading.Thread(target=later, daemon=True).start()
threading.Thread(target=time.sleep, args=(901.5,)).start()
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("more", "code", "verdicts"), [("", 1, {"width": "violated"}), (THREADS, 4, {})], ids=["exits", "threads"]
)
def test_the_exit_code_is_that_of_the_record_whatever_plugins_have_registered(
    command: CommandLine, more: str, code: int, verdicts: dict[str, str]
) -> None:
    halved = declarations.width("return 0.5 * super().published_width(public, of)", "").named("leaves")
    command.install("leaves", halved.replace("import os, random", LEAVES + more + "import os, random", 1))
    before = time.monotonic()
    outcome = command.check("leaves", "--claim", "width", "--regime", "published", "--instance", "one-step")
    assert time.monotonic() - before < 45
    assert (outcome.code, outcome.record["exit_code"], outcome.verdicts("leaves")) == (code, code, verdicts)


@pytest.mark.full
def test_counts_below_zero_are_a_violation(command: CommandLine) -> None:
    body = """
        def run(self, env):
            for plan in super().run(env):
                yield replace(plan, visits=plan.visits - 1.0)
    """
    imports = """
        import verifier_ravi_ucb
        from verifier_ravi_ucb.tabular.algorithm import TabularRaviUCB
        found = verifier_ravi_ucb.verifier_algorithms()
        GIVEN = next(guarantees for guarantees in found if guarantees.name == "ravi-ucb-tabular")
    """
    command.install("counts-down", algorithm("counts-down", body, imports, "TabularRaviUCB"))
    outcome = command.check("counts-down", INNOCENT, "--claim", "visits", "--regime", "oracle", "--instance", "path")
    assert outcome.code == 1


@pytest.mark.full
def test_a_claim_weaker_than_the_theorem_loses_its_power(command: CommandLine) -> None:
    weaker = """
        from verifier.model.inequality import Inequality
        @phase_property()
        def _weak(view):
            return Inequality(np.zeros(1), np.full(1, 1e6), trivial=np.inf, axes=("k",))
        weak = Claim("optimism", _weak, "Lemma 7", "Lemma 7", "-1e6 <= Q", Kind.ALWAYS, follows="pseudo-code")
        from verifier.model.mutant import plant
        class NoBonus:
            def multiplier(self, public):
                return 0.0
    """
    body = 'instances, regimes = ("one-step",), ("oracle",)'
    mutants = '(plant(Mine, "no-bonus", "no bonus", NoBonus, ("optimism",)),)'
    declares = f"claims=(weak,), clauses=(), scaling=(), theorem='', mutants={mutants}"
    command.install("modest", algorithm("modest", body, weaker, declares=declares))
    outcome = command("power", "modest", "--no-store")
    assert outcome.code == 1
    assert "survived" in outcome.words


@pytest.mark.full
def test_what_plugins_print_is_not_part_of_a_report(command: CommandLine) -> None:
    printing = declarations.horizon("lambda *a: print('NOISE') or 1.0", "")
    command.install("prints", printing.named("prints"))
    noisy = declarations.setting("catalogue=Lazy([lambda: print('NOISE') or (SCENARIO,)])", "")
    command.install("noisy", noisy.named("noisy"))
    outcome = command("check", "prints", "noisy", *PUBLISHED, "--no-store", "--output", "json=-")
    names = [entry["name"] for entry in json.loads(outcome.out)["algorithms"]]
    assert names == ["prints", "noisy"]
    assert "NOISE" in outcome.err


@pytest.mark.full
def test_list_and_explain_work_when_a_catalogue_does_not(command: CommandLine) -> None:
    command.install("catalogue-raises", declarations.SETTINGS["catalogue-raises"].named("catalogue-raises"))
    listed = command("list", "--instances")
    assert listed.code == 0
    assert "instances unknown: catalogue: KeyError: 'gone'" in listed.words
    assert "onehot" in listed.out
    for name, code, words in (
        ("onehot", 0, "instance onehot of setting lifelong"),
        ("onehott", 2, "Did you mean 'onehot'"),
        ("setting-of-catalogue-raises", 4, "catalogue of setting 'setting-of-catalogue-raises': KeyError: 'gone'"),
    ):
        explained = command("explain", name)
        assert (explained.code, words in explained.words, "Traceback" in explained.err) == (code, True, False), explained
    replayed = command("replay", "catalogue-raises/optimism:one-step:oracle:0:0")
    assert replayed.code == 4
    assert "KeyError: 'gone'" in replayed.words
    assert "Traceback" not in replayed.err
