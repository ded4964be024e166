"""`pytest --verifier NAME` and `parametrize_with_claims`: the verdicts of `verifier check`, one test each."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.plugins import CommandLine, algorithm

FEW = """
    instances = ("one-feature", "few-episodes")
    regimes = ("published", "oracle")
"""
QUIET = """
    from verifier_settings.lifelong import LIFELONG

    @hookimpl
    def verifier_settings():
        return [replace(LIFELONG, name="quiet", recipes=None)]
"""
"""A setting in which nothing is searched for, which takes most of the time."""

BROKEN = (
    FEW
    + """
    @classmethod
    def multiplier(cls, public):
        return 0.5 * super().multiplier(public)
"""
)

THESIS = Path(__file__).parents[1] / "power" / "thesis.py"


@pytest.fixture
def command(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path)


def run_pytest(command: CommandLine, *arguments: str) -> tuple[int, str, dict[str, str]]:
    """Exit code, output, and outcome of each test by name."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--junit-xml", "r.xml", *arguments],
        cwd=command.folder, env=command.environment(), capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    file = command.folder / "r.xml"
    found = {}
    for case in ElementTree.parse(file).iter("testcase") if file.exists() else ():  # written by pytest
        kinds = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
        found[case.attrib["name"]] = kinds[0] if kinds else "passed"
    return done.returncode, done.stdout + done.stderr, found


OUTCOME = {"violated": "failure", "error": "failure", "conforms": "passed"}


def expected(record: dict[str, object]) -> dict[str, str]:
    """The outcome of each test that follows from the record of `verifier check`: what is broken first fails."""
    order = ("violated", "error", "inconclusive", "conforms", "observed", "vacuous", "not applicable")
    wanted: dict[str, str] = {}
    for found in record["algorithms"]:  # type: ignore[attr-defined]  # a list of mappings
        for claim in found["claims"]:
            by_regime: dict[str, list[str]] = {}
            for entry in claim["regimes"]:
                by_regime.setdefault(entry["regime"] or "instance", []).append(entry["verdict"])
            for regime, verdicts in by_regime.items():
                worst = next(verdict for verdict in order if verdict in verdicts)
                folded = worst == "violated" and claim["broken_by"]
                wanted[f"{claim['id']}:{regime}"] = "skipped" if folded else OUTCOME.get(worst, "skipped")
    return wanted


@pytest.mark.full
@pytest.mark.parametrize("workers", [pytest.param("0", marks=pytest.mark.deep), "2"])
def test_the_verdicts_are_those_of_check_also_in_several_processes(command: CommandLine, workers: str) -> None:
    quiet = (BROKEN + '    setting = "quiet"\n', QUIET) if workers != "0" else (BROKEN, "")  # the search is compared once
    command.install("mine", algorithm("mine", *quiet))
    record = command.check("mine").record
    code, out, found = run_pytest(command, "--verifier", "mine", "-n", workers, "-q")
    assert code == 1, out
    assert found == expected(record)
    assert found["mine/q-formula:oracle"] == "failure"
    assert found["mine/gram:oracle"] == "passed"
    assert "is false" in out


@pytest.mark.full
def test_a_consequence_fails_where_its_cause_is_not_tested(command: CommandLine) -> None:
    """Else a selection without the cause would pass."""
    no_bonus = BROKEN.replace("0.5", "0.0") + '    setting = "quiet"\n'
    command.install("mine", algorithm("mine", no_bonus, top=QUIET))
    both = run_pytest(command, "--verifier", "mine", "-k", "oracle and (q-formula or distillation-error:)", "-rs")
    assert both[0] == 1
    assert both[2] == {"mine/q-formula:oracle": "failure", "mine/distillation-error:oracle": "skipped"}
    assert "follows from mine/q-formula, which fails" in both[1]
    assert "✗ mine/q-formula is violated on " in both[1].partition("= FAILURES =")[0], "told when it is found"
    end = both[1].partition("First broken: mine/q-formula (eq. (7)")[2].partition("\n___")[0]
    assert "The trial told of above, again: verifier replay mine/q-formula:" in end.partition("short test summary")[0]
    assert "regression" not in both[1], "claims that were not selected are not evaluated"
    alone = run_pytest(command, "--verifier", "mine", "-k", "oracle and distillation-error:")
    assert alone[0] == 1
    assert alone[2] == {"mine/distillation-error:oracle": "failure"}


@pytest.mark.full
def test_a_selection_and_a_second_algorithm(command: CommandLine) -> None:
    command.install("mine", algorithm("mine", FEW + '    setting = "quiet"\n', top=QUIET))
    code, out, found = run_pytest(
        command, "--verifier", "mine", "-k", "gram and oracle", "--verifier-seed", "3", "--verifier-budget", "90s", "-v"
    )
    assert code == 0, out
    assert set(found.values()) == {"passed"}
    assert "mine/gram:oracle" in out


@pytest.mark.full
def test_a_project_tests_its_own_claims(command: CommandLine) -> None:
    command.install("mine", algorithm("mine", FEW + '    setting = "quiet"\n', top=QUIET))
    (command.folder / "test_mine.py").write_text(
        "from verifier.adapters.pytest_plugin import parametrize_with_claims\n\n"
        '@parametrize_with_claims(["mine"], profile="quick", seed=1)\n'
        "def test_claim(check):\n    check()\n"
    )
    code, out, found = run_pytest(command, "-q", "-n", "2")
    assert code == 0, out
    assert found["test_claim[mine/gram:oracle]"] == "passed"
    assert found["test_claim[mine/martingale-sum:oracle]"] == "skipped"


@pytest.mark.full
def test_a_project_tests_its_own_class(command: CommandLine) -> None:
    wrong = THESIS.read_text(encoding="utf-8").replace("self.K * self.H / delta", "self.K / delta")
    (command.folder / "thesis.py").write_text(wrong, encoding="utf-8")
    (command.folder / "test_thesis.py").write_text(
        "import verifier\nfrom verifier.adapters.pytest_plugin import parametrize_with_claims\nfrom thesis import MyUCBVI\n\n"
        'MINE = verifier.hold(MyUCBVI, to="ucbvi-ch", read={"Q": "Q"}, knob="c")\n\n'
        '@parametrize_with_claims([MINE], budget="5s")\n'
        "def test_claim(check):\n    check()\n"
    )
    code, out, found = run_pytest(command, "-q", "-n", "2", "-k", "(q-formula or greedy) and 0.01")
    assert code == 1, out
    assert found == {
        "test_claim[my-ucbvi/q-formula:scaled(0.01)]": "failure",
        "test_claim[my-ucbvi/greedy:scaled(0.01)]": "passed",
    }
    assert "thesis.py:" in out


@pytest.mark.full
def test_what_cannot_be_tested_is_refused_or_fails(command: CommandLine) -> None:
    command.install("mine", "raise RuntimeError('not today')")
    code, out, _found = run_pytest(command, "--verifier", "mine", "-q")
    assert code == 1, out
    assert "not today" in out
    code, out, _ = run_pytest(command, "--verifier", "ucblvdd")
    assert code == 4
    assert "Did you mean 'ucblvd'" in out
    assert "Traceback" not in out
    code, out, _ = run_pytest(command, "--verifier", "ucblvd", "--verifier-profile", "slow")
    assert code == 4
    assert "expected one of 'quick'" in out
