"""What the user gets wrong: the message says what was given, what would do, and nothing is run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import Invoke
from .plugins import QUICK, CommandLine

ONE = ("check", "ucblvd", *QUICK)
REPLAY = "ucblvd/optimism:one-step:oracle:0:0"

MISTAKES = {
    "no command": (("chekc", "ucblvd"), ["no command 'chekc'", "Did you mean 'check'?"]),
    "no target": (("check",), ["Missing argument", "NAME"]),
    "algorithm": (("check", "ucblvdd"), ["'ucblvdd' is no algorithm", "Did you mean 'ucblvd'", "verifier list"]),
    "second algorithm": (("check", "ucblvd", "lifelong-lsv"), ["'lifelong-lsv'", "'lifelong-lsvi'"]),
    "claim": (("check", "ucblvd", "--claim", "optimsm"), ["claim 'optimsm'", "Did you mean 'optimism'"]),
    "claim id": (("check", "ucblvd", "--claim", "ucblvd/gramm"), ["'ucblvd/gramm'", "'ucblvd/gram'"]),
    "regime": (("check", "ucblvd", "--regime", "orcale"), ["regime 'orcale'", "'oracle'"]),
    "scale": (("check", "ucblvd", "--regime", "scaled(x)"), ["regime 'scaled(x)'", "scaled(c)", "c > 0"]),
    "instance": (("check", "ucblvd", "--instance", "onehott"), ["instance 'onehott'", "'onehot'"]),
    "option": ((*ONE, "--claims", "x"), ["No such option", "--claims", "--claim"]),
    "profile": ((*ONE, "--profile", "quik"), ["profile = 'quik'", "'quick', 'standard', 'deep'"]),
    "budget": ((*ONE, "--budget", "soon"), ["budget = 'soon'", "'90s'", "'5min'"]),
    "no budget": ((*ONE, "--budget", "0s"), ["budget = '0s'", "positive"]),
    "timeout": ((*ONE, "--timeout", "-3s"), ["timeout = '-3s'", "positive"]),
    "memory": ((*ONE, "--memory", "1"), ["memory = 1", "at least 256"]),
    "memory beyond the machine": ((*ONE, "--memory", "9" * 20), ["memory = 99999999999999999999", "at most 8796093022207"]),
    "jobs beyond the machine": ((*ONE, "--jobs", "9" * 20), ["jobs = 99999999999999999999", "at most 10000"]),
    "seed of many digits": ((*ONE, "--seed", "9" * 400), ["seed = an integer of very many digits", "at most 100 digits"]),
    "timeout of many digits": ((*ONE, "--timeout", "9" * 400), ["timeout = '999", "at most 1e+09 s"]),
    "slower nan": (("gate", "ucblvd", "--slower", "nan"), ["--slower", "'nan' is not a number"]),
    "surrogate": (("check", "ucblvd\udcff"), ["is no algorithm", "Did you mean 'ucblvd'"]),
    "surrogate in an id": (("replay", "ucblvd/optimism:\udcff:oracle:0:0", "--show"), ["has no trial"]),
    "null byte in a path": (("report", "a\0b"), ["'a\\x00b' holds a null byte"]),
    "null byte": ((*ONE, "--store", "a\0b"), ["'a\\x00b' holds a null byte"]),
    "baseline verdict": (("gate", "ucblvd", "--baseline", "verdict.json"), ["optimism is 'confroms'", "'conforms'"]),
    "baseline deep": (("gate", "ucblvd", "--baseline", "deep.json"), ["nested more than 64 levels"]),
    "record deep": (("report", "deep.json"), ["nested more than 64 levels"]),
    "record digits": (("report", "digits.json"), ["an integer of more than 100 digits"]),
    "jobs": ((*ONE, "--jobs", "0"), ["jobs = 0", "at least 1"]),
    "jobs word": ((*ONE, "--jobs", "many"), ["--jobs", "'many'", "integer"]),
    "seed": ((*ONE, "--seed", "-1"), ["seed = -1", "not negative"]),
    "format": ((*ONE, "--output", "jsn=a.json"), ["output format 'jsn'", "Did you mean 'json' or"]),
    "output form": ((*ONE, "--output", "a.docx"), ["a.docx", "FORMAT=PATH"]),
    "output folder": ((*ONE, "--output", "json=."), ["json=.", "is a folder", "path of a file"]),
    "output in no folder": ((*ONE, "--output", "json=no/a.json"), ["folder no does not exist", "create it"]),
    "output name": ((*ONE, "--output", f"json={'a' * 300}"), ["cannot be written", "choose another path"]),
    "output in a file": (("report", "good.json", "--output", "png=text.json"), ["text.json is a file", "path of a folder"]),
    "output of figures": ((*ONE, "--output", "png=-"), ["more than one text", "path of a folder"]),
    "output of a page": ((*ONE, "--output", "markdown+svg=-"), ["more than one text", "path of a file"]),
    "report format": (("report", "good.json", "--output", "html2=x"), ["output format 'html2'"]),
    "record missing": (("report", "none.json"), ["none.json", "No such file", "verifier check"]),
    "record folder": (("report", "."), ["cannot be read", "directory"]),
    "record no JSON": (("report", "text.json"), ["text.json is not valid JSON", "--output json=PATH"]),
    "record bytes": (("report", "bytes.json"), ["bytes.json is not valid JSON"]),
    "record schema": (("report", "old.json"), ["'verifier.record/0'", "expected 'verifier.record/1'"]),
    "record list": (("report", "list.json"), ["'list'", "expected 'verifier.record/1'"]),
    "record cut": (("report", "good.json"), ["good.json is incomplete or damaged", "--output json=PATH"]),
    "replay words": (("replay", "optimism"), ["'optimism'", "ALGORITHM/CLAIM:INSTANCE:REGIME:TRIAL:SEED", "e.g."]),
    "replay cut": (("replay", "ucblvd/optimism:one-step:oracle:0"), ["not understood", "expected ALGORITHM/CLAIM"]),
    "replay trial": (("replay", "ucblvd/optimism:one-step:oracle:x:0"), ["not understood"]),
    "replay negative": (("replay", "ucblvd/optimism:one-step:oracle:0:-1"), ["not understood"]),
    "replay slash": (("replay", "a/b/c:one-step:oracle:0:0"), ["not understood"]),
    "replay regime": (("replay", "ucblvd/optimism:one-step:orakel:0:0"), ["regime 'orakel' is not known", "'oracle'"]),
    "replay algorithm": (("replay", "ucblv/optimism:one-step:oracle:0:0"), ["'ucblv'", "Did you mean 'ucblvd'"]),
    "replay claim": (("replay", "ucblvd/optimist:one-step:oracle:0:0"), ["no claim 'optimist'", "'optimism'"]),
    "replay instance": (("replay", "ucblvd/optimism:one-stop:oracle:0:0"), ["no instance 'one-stop'", "'one-step'"]),
    "replay assumption": (("replay", "ucblvd/span:one-step:oracle:0:0"), ["on the instance alone"]),
    "replay elsewhere": (("replay", "ucblvd/regret:one-step:oracle:0:0"), ["is evaluated in", "not in regime oracle"]),
    "replay not stored": (("replay", REPLAY, "--show"), ["has no trial", "one-step", "without --show"]),
    "explain": (("explain", "vacuos"), ["nothing is called 'vacuos'", "'vacuous'"]),
    "explain bug": (("explain", "ucblvd~half-bnus"), ["ucblvd has no planted bug 'half-bnus'", "'half-bonus'"]),
    "explain many": (("explain", "zzzz"), ["nothing is called 'zzzz'. 'verifier list' names", "verifier explain"]),
    "baseline": (("gate", "ucblvd", "--update-baseline", "--baseline", "no/b"), ["--update-baseline: the folder no does not"]),
    "check a size": (
        (*ONE[:2], "--instance", "lock[K=40]"),
        ["'lock[K=40]' is not known", "every size are for `verifier scale`"],
    ),
    "explain claim": (("explain", "ucblvd/optimsm"), ["no claim 'optimsm'", "'optimism'"]),
    "explain algorithm": (("explain", "ucblvdd/optimism"), ["'ucblvdd'", "'ucblvd'"]),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake(mistake: str, invoke: Invoke, tmp_path: Path) -> None:
    (tmp_path / "text.json").write_text("verifier 0.1.0")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "old.json").write_text(json.dumps({"schema": "verifier.record/0"}))
    (tmp_path / "good.json").write_text(json.dumps({"schema": "verifier.record/1"}))
    (tmp_path / "deep.json").write_text("[" * 100_000)
    (tmp_path / "digits.json").write_text(json.dumps({"schema": "verifier.record/1", "seed": 10**400}))
    standing = {"plugin": "ucblvd", "claims": {"optimism": "confroms"}, "mutants": {}, "clauses_checked": 1}
    baseline = {"schema": "verifier.baseline/1", "profile": "quick", "seed": 0, "algorithms": {"ucblvd": standing}}
    (tmp_path / "verdict.json").write_text(json.dumps(baseline))
    files = set(tmp_path.iterdir())
    arguments, words = MISTAKES[mistake]
    outcome = invoke(*arguments)
    assert outcome.code == 2, outcome
    assert outcome.out == ""
    for word in words:
        assert word in outcome.words
    assert "Traceback" not in outcome.err
    assert set(tmp_path.iterdir()) - {tmp_path / ".verifier"} == files, "nothing is run, so nothing is written"


def test_a_planted_bug_is_explained(invoke: Invoke) -> None:
    outcome = invoke("explain", "ucblvd~half-bonus")
    assert outcome.code == 0
    assert "bug planted in ucblvd: L beta instead of 2 L beta." in outcome.words
    assert "`verifier power ucblvd --mutant half-bonus` runs it" in outcome.words


@pytest.mark.parametrize("what", ["claim", "regime", "instance"])
def test_a_filter_that_selects_nothing(what: str, invoke: Invoke) -> None:
    outcome = invoke("check", "ucblvd", f"--{what}", "zz*")
    assert outcome.code == 5
    assert outcome.out == ""
    assert f"--{what} 'zz*': no {what} fits" in outcome.err
    assert "verifier explain ucblvd" in outcome.err


def test_filters_that_select_nothing_together(invoke: Invoke) -> None:
    outcome = invoke("check", "ucblvd", "--claim", "regret", "--regime", "oracle")
    assert outcome.code == 5
    assert outcome.out == ""
    assert "no claim is evaluated in the selected regimes" in outcome.err
    assert "widen --claim, --regime or --instance" in outcome.err


def test_assumptions_need_no_run(invoke: Invoke) -> None:
    outcome = invoke("check", "ucblvd", "--claim", "span", "--regime", "oracle", "--instance", "one-step")
    assert outcome.code == 0
    assert "Nothing violated." in outcome.out
    assert "0 trials" in outcome.out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[tool.verifier]\nsede = 1\n", ["unknown key 'sede'", "Did you mean 'seed'", "pyproject.toml"]),
        ("[tool.verifier]\nprofile = 'quik'\n", ["profile = 'quik'", "'quick'", "pyproject.toml"]),
        ("[tool.verifier]\noutput = ['jsn=a']\n", ["output format 'jsn'", "'json'"]),
        ('[tool.verifier]\nstore = "a\\u0000b"\n', ["store = 'a\\x00b'", "path of a directory"]),
        (f"[tool.verifier]\nseed = {'9' * 400}\n", ["more than 100 digits", "correct it"]),
        (f"[tool.verifier]\nseed = {'[' * 100_000}\n", ["nested more than 64 levels", "correct it"]),
        ("[tool.verifier\n", ["not valid TOML", "correct it"]),
    ],
    ids=["key", "value", "format", "null", "digits", "deep", "syntax"],
)
def test_mistakes_in_pyproject(text: str, words: list[str], invoke: Invoke, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    outcome = invoke(*ONE)
    assert outcome.code == 2
    for word in words:
        assert word in outcome.words


def test_a_filter_may_fit_only_one_of_the_algorithms(invoke: Invoke) -> None:
    chosen = ("--claim", "distillation-error", "--instance", "one-step", "--no-store")
    outcome = invoke("check", "ucblvd", "lifelong-lsvi", *chosen, "--regime", "oracle[minimiser=farthest]")
    assert outcome.code == 0
    assert "lifelong-lsvi  no claims were checked" in outcome.out
    assert "ucblvd         nothing violated; 1 conforms." in outcome.out


def test_a_scaled_regime_may_be_written_in_any_way(invoke: Invoke) -> None:
    outcome = invoke(
        "check", "ucblvd", "--claim", "gram", "--instance", "one-step", "--regime", "scaled(0.50)", "--no-store", "--table"
    )
    assert outcome.code == 0
    assert "scaled(0.5)@one-step" in outcome.out


def test_the_output_is_checked_without_touching_it(invoke: Invoke, tmp_path: Path) -> None:
    (tmp_path / "old.md").write_text("kept")
    outcome = invoke(*ONE, "--output", "markdown=old.md", "--output", "json=new.json", "--budget", "never")
    assert outcome.code == 2
    assert (tmp_path / "old.md").read_text() == "kept"
    invoke("check", "ucblvd", "--claim", "zz*", "--output", "json=new.json")
    assert not (tmp_path / "new.json").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_told(command: CommandLine) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "verifier", "list"],
            env=command.environment(), stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("verifier: standard output cannot be written: No space left on device; make room")
    assert "Traceback" not in done.stderr


def test_a_dash_is_standard_output(invoke: Invoke) -> None:
    outcome = invoke(*ONE, "--no-store", "--output", "json=-")
    assert outcome.code == 0
    assert json.loads(outcome.out)["schema"] == "verifier.record/1"


def test_figures_go_to_a_folder_that_is_there_or_not(invoke: Invoke, tmp_path: Path) -> None:
    invoke(*ONE, "--no-store", "--output", "json=record.json")
    for _ in range(2):
        assert invoke("report", "record.json", "--output", "png=figures", "--output", "csv=figures").code == 0
    assert sorted(path.suffix for path in (tmp_path / "figures").iterdir()) == [".csv", ".png", ".txt"]


def test_a_page_of_a_real_record(invoke: Invoke, tmp_path: Path) -> None:
    outcome = invoke(*ONE, "--no-store", "--output", "html=report.html")
    assert outcome.code == 0
    assert "<h1>" in (tmp_path / "report.html").read_text(encoding="utf-8")
