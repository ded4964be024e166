"""Plugins that cannot be loaded: listed with their cause, and in nobody's way."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from .plugins import QUICK, CommandLine, Outcome, algorithm

HOOK = "from verifier import hookimpl\n\n@hookimpl\ndef verifier_algorithms({arguments}):\n    {body}\n"
TWICE = "claims=GIVEN.claims + GIVEN.claims[:1]"
EXTRA = """
@phase_property("spectrum")
def _spectrum(view):
    return None
def claim(name="spectrum", property=_spectrum, **more):
    return Claim(name, property, "Lemma 0", "Theorem 0", "x <= y", Kind.ALWAYS, **more)
"""
PROOF = """
from verifier import PSEUDO_CODE, Inequality
@phase_property()
def _anything(view):
    return Inequality(0.5, 1.0, trivial=2.0)
def claim(name, follows):
    return Claim(name, _anything, "Lemma 0", "Theorem 0", "x <= y", Kind.ALWAYS, follows=follows)
"""
SHOWN = "from verifier.model.mutant import Shown"

ERRATUM = """
from verifier import Erratum, Grade
odd = Erratum("odd", "eq. (1)", Grade.FALSE, "1 <= 0", "because", "0 <= 1", (), lambda: None)
"""


def proof(**follows: str) -> str:
    """Claims that say what they follow from, beside an assumption of the original."""
    own = ", ".join(f"claim('{name}', {follows[name]})" for name in follows)
    return f"claims=(replace(GIVEN.claim('span'), clause=''), {own}), clauses=(), scaling=(), theorem=''"


BROKEN = {
    "import-error": ("import no_such_module_anywhere", ["ModuleNotFoundError", "no_such_module_anywhere"]),
    "syntax-error": ("def f(:\n", ["SyntaxError", "line 1"]),
    "system-exit": ("import sys; sys.exit(0)", ["SystemExit: 0"]),
    "os-exit": ("import os; os._exit(0)", ["the plugin called os._exit(0)"]),
    "crash": ("1 / 0", ["ZeroDivisionError: division by zero"]),
    "no-hook": ("x = 1", ["implements no hook", "verifier.hookimpl"]),
    "undecorated-hook": ("def verifier_algorithms():\n    return []\n", ["implements no hook", "verifier.hookimpl"]),
    "hook-name": ("from verifier import hookimpl\n@hookimpl\ndef verifier_algoritms():\n    return []\n",
                  ["wrong hook", "verifier_algoritms", "verifier.plugins.hookspecs"]),
    "hook-signature": (HOOK.format(arguments="count", body="return []"), ["wrong hook", "count", "verifier.plugins.hookspecs"]),
    "hook-crash": (HOOK.format(arguments="", body="return 1 / 0"), ["ZeroDivisionError"]),
    "hook-result": (HOOK.format(arguments="", body="return 5"), ["TypeError", "not iterable"]),
    "no-class": (
        HOOK.format(arguments="", body="return ['ucblvd']"),
        ["returned 'ucblvd', expected verifier.Guarantees(ALGORITHM"],
    ),
    "bare-class": (
        algorithm("NAME", "").replace("return [", "return [Mine] or ["),
        ["returned the class Mine itself", "verifier.Guarantees(Mine, claims=...)"],
    ),
    "other-class": (
        "from verifier import Guarantees\n" + HOOK.format(arguments="", body="return [Guarantees(int)]"),
        ["builtins.int is not a subclass of verifier.Algorithm"],
    ),
    "run-signature": (algorithm("NAME", "def run(self):\n    yield 1"), ["wrong signature of `run`", "run(self, env)"]),
    "run-no-generator": (algorithm("NAME", "def run(self, env):\n    return []"), ["`run` is not a generator", "yield a Plan"]),
    "width-signature": (
        algorithm("NAME", "@classmethod\ndef published_width(cls):\n    return 1.0"),
        ["wrong signature of `published_width`", "published_width(cls, public, of)"],
    ),
    "abstract": (
        algorithm("NAME", "title = paper = setting = 'x'", "from verifier import Algorithm", "Algorithm"),
        ["does not implement published_width, run", "write it"],
    ),
    "no-name": (algorithm("NAME", "name = None"), ["`name` is missing or not a string"]),
    "bad-name": (algorithm("Broken one", ""), ["name 'Broken one'", "lower-case-words-with-dashes"]),
    "no-title": (algorithm("NAME", "title = None"), ["`title` is missing or not a string"]),
    "no-paper": (algorithm("NAME", "paper = 7"), ["`paper` is missing or not a string"]),
    "claims": (algorithm("NAME", "", declares="claims=('optimism',)"), ["`claims` holds str, expected Claim"]),
    "no-claims": (algorithm("NAME", "", declares="claims=None"), ["`claims` is None, expected a tuple of Claim"]),
    "groups": (algorithm("NAME", "groups = 'lifelong'"), ["`groups` is 'lifelong', expected a tuple of str"]),
    "regime": (algorithm("NAME", "regimes = ('oracel',)"), ["`regimes`", "regime 'oracel' is not known", "'oracle'"]),
    "no-theorem": (algorithm("NAME", "", declares="theorem=2"), ["attribute `theorem` is 2", "expected the name of a claim"]),
    "claim-twice": (algorithm("NAME", "", declares=TWICE), ["claim id 'NAME/", "is declared twice", "rename one"]),
    "claim-regime": (
        algorithm(
            "NAME", "yields = frozenset({'spectrum'})", EXTRA, declares="claims=(claim(regimes=('orcale',)),), clauses=()"
        ),
        ["claim 'spectrum'", "regime 'orcale' is not known"],
    ),
    "not-yielded": (
        algorithm("NAME", "", EXTRA, declares="claims=(claim(),), clauses=()"),
        ["claim 'spectrum' needs spectrum in every plan", "`yields` and `extra`: theta, xi", "drop the claim"],
    ),
    "assumption": (
        algorithm("NAME", "", declares="claims=GIVEN.claims + (replace(GIVEN.claims[-1], name='x', assumes=('spann',)),)"),
        ["assumes 'spann'", "'span'"],
    ),
    "clause": (algorithm("NAME", "", declares="claims=()"), ["has neither a claim nor a reason"]),
    "mutant": (algorithm("NAME", "", declares="mutants=('a',)"), ["attribute `mutants` holds str, expected Mutant"]),
    "mutant-twice": (
        algorithm("NAME", "", declares="mutants=2 * (Mutant('a', 'x', Mine),)"), ["mutant 'a' is declared twice", "rename one"],
    ),
    "mutant-name": (
        algorithm("NAME", "", declares="mutants=(Mutant('Half Bonus', 'x', Mine),)"),
        ["mutant 'Half Bonus' has a name that is not of the form", "rename it"],
    ),
    "mutant-claim": (
        algorithm("NAME", "", declares="mutants=(Mutant('a', 'x', Mine, ('optimizm',)),)"),
        ["mutant 'a' should be caught by 'optimizm', which is no claim. Did you mean 'optimism'"],
    ),
    "mutant-claims": (
        algorithm("NAME", "", declares="mutants=(Mutant('a', 'x', Mine, 'optimism'),)"),
        ["mutant 'a' attribute `caught_by` is 'optimism', expected a tuple of str"],
    ),
    "shown-claim": (
        algorithm("NAME", "", SHOWN, declares="shown=(Shown('a', 'one-step', ('optimizm',)),)"),
        ["`shown` of 'a' names 'optimizm', which is no claim. Did you mean 'optimism'"],
    ),
    "shown-regime": (
        algorithm("NAME", "", SHOWN, declares="shown=(Shown('a', 'one-step', ('optimism',), regime='orcale'),)"),
        ["`shown` of 'a': regime 'orcale' is not known"],
    ),
    "shown-trials": (
        algorithm("NAME", "", SHOWN, declares="shown=(Shown('a', 'one-step', ('optimism',), trials=0),)"),
        ["`shown` of 'a' has 0 trials, expected a whole number from 1 on"],
    ),
    "mutant-source": (
        algorithm("NAME", "", declares="mutants=(Mutant('a', 'x', Mine, differs_in=('oracel',)),)"),
        ["mutant 'a' differs in 'oracel', which is no source of a regime: published, scaled, calibrated, oracle"],
    ),
    "mutant-class": (
        algorithm("NAME", "", declares="mutants=(Mutant('a', 'x', UCBlvd),)"),
        ["mutant 'a' is <class 'verifier_ucblvd.ucblvd.algorithm.UCBlvd'>, which is no subclass of Mine"],
    ),
    "mutant-object": (
        algorithm("NAME", "", declares="mutants=(Mutant('a', 'x', 'Mine'),)"),
        ["mutant 'a' is 'Mine', which is no subclass of Mine"],
    ),
    "erratum": (algorithm("NAME", "", declares="errata=('a',)"), ["attribute `errata` holds str, expected Erratum"]),
    "errata": (algorithm("NAME", "", ERRATUM, declares="errata=odd"), ["`errata` is Erratum(", "expected a tuple of Erratum"]),
    "erratum-twice": (
        algorithm("NAME", "", ERRATUM, declares="errata=(odd, odd)"), ["erratum 'odd' is declared twice", "rename one"],
    ),
    "erratum-without-a-text": (
        algorithm("NAME", "", ERRATUM, declares="errata=(replace(odd, why=None),)"),
        ["`why` of Erratum is None, expected text"],
    ),
    "erratum-without-a-grade": (
        algorithm("NAME", "", ERRATUM, declares="errata=(replace(odd, grade='wrong'),)"),
        ["erratum 'odd': `grade` is 'wrong', expected a verifier.Grade"],
    ),
    "erratum-about-claims": (
        algorithm("NAME", "", ERRATUM, declares="errata=(replace(odd, claims='a/b'),)"),
        ["`claims` is 'a/b', expected a tuple of claim ids"],
    ),
    "erratum-without-a-function": (
        algorithm("NAME", "", ERRATUM, declares="errata=(replace(odd, counterexample=None),)"), ["expected a function"],
    ),
    "taken": (algorithm("ucblvd", ""), ["algorithm 'ucblvd' is already provided by plugin 'ucblvd'", "rename one"]),
    "setting": (algorithm("NAME", "setting = 'lifelon'"), ["setting 'lifelon' is not installed", "'lifelong'"]),
}  # fmt: skip
"""By the name of the plugin, for which NAME stands: its source, and what is said of it."""


@dataclass(frozen=True)
class Shop:
    """A folder with every broken plugin, and what two commands say there."""

    command: CommandLine
    listed: Outcome
    checked: Outcome

    def paragraph(self, name: str) -> str:
        """What `verifier list` says of a broken plugin, in one line."""
        _, _, section = self.listed.out.partition("Broken (not usable; everything else is)\n")
        items = re.split(r"\n  (?=\S)", f"\n{section}")
        (found,) = [item for item in items if item.startswith(f"{name} ")]
        return " ".join(found.split())


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    command = CommandLine(tmp_path_factory.mktemp("broken"))
    for name, (source, _) in BROKEN.items():
        command.install(name, source.replace("NAME", name))
    return Shop(command, command("list"), command.check(*BROKEN, "ucblvd", *QUICK))


@pytest.mark.one_in(11)
@pytest.mark.parametrize("name", BROKEN)
def test_broken_plugin(name: str, shop: Shop) -> None:
    (entry,) = (entry for entry in shop.checked.record["algorithms"] if entry["plugin"] == name)
    (error,) = entry["errors"]
    assert error["kind"] == "load"
    assert f"'{name}'" in error["where"]
    assert " ".join(error["message"].split()) in shop.checked.words
    for word in (word.replace("NAME", name) for word in BROKEN[name][1]):
        assert word in shop.paragraph(name)
        assert word in error["message"]


def test_broken_plugins_are_in_nobodys_way(shop: Shop) -> None:
    assert shop.listed.code == 0
    assert "ucblvd" in shop.listed.out.partition("Groups")[0]
    assert shop.checked.code == shop.checked.record["exit_code"] == 4
    assert shop.checked.verdicts("ucblvd") == {"optimism": "conforms"}
    assert shop.checked.entry("ucblvd")["errors"] == []
    alone = shop.command.check("ucblvd", *QUICK, file="alone.json")
    assert alone.code == 0
    assert [entry["name"] for entry in alone.record["algorithms"]] == ["ucblvd"]
    assert alone.verdicts("ucblvd") == {"optimism": "conforms"}
    assert alone.err == ""


@pytest.mark.parametrize("name", ["import-error", "taken"])
def test_a_broken_plugin_alone_is_an_error(name: str, command: CommandLine) -> None:
    source, words = BROKEN[name]
    command.install(name, source)
    outcome = command.check(name, *QUICK)
    assert outcome.code == outcome.record["exit_code"] == 4
    assert [error["kind"] for entry in outcome.record["algorithms"] for error in entry["errors"]] == ["load"]
    assert all(word in outcome.words for word in (f"'{name}'", *words))


@pytest.mark.full
def test_a_plugin_that_sorts_first_cannot_replace_a_built_in_one(command: CommandLine) -> None:
    command.install("aaa", algorithm("ucblvd", "title = 'an impostor'"))
    outcome = command.check("ucblvd", *QUICK)
    assert outcome.code == 0
    assert outcome.entry("ucblvd")["title"] == "UCBlvd (Algorithm 2)"
    listed = command("list")
    assert "aaa (plugin_aaa): algorithm 'ucblvd' is already provided by plugin 'ucblvd'" in listed.words


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("hook", "value", "words"),
    [
        ("verifier_settings", "LIFELONG", "setting 'lifelong' is already provided"),
        ("verifier_settings", "'lifelong'", "expected instances of verifier.model.setting.Setting"),
        ("verifier_report_writers", "*FORMATS", "report format 'annotations' is already provided"),
        ("verifier_report_writers", "'json'", "expected objects like verifier.record.writer.Writer"),
    ],
)
def test_settings_and_writers_that_are_refused(hook: str, value: str, words: str, command: CommandLine) -> None:
    imports = "from verifier import hookimpl\nfrom verifier_settings.lifelong import LIFELONG\n"
    imports += "from verifier_reports.formats import FORMATS\n"
    command.install("aaa", f"{imports}\n@hookimpl\ndef {hook}():\n    return [{value}]\n")
    assert words in command("list").words
    assert command("check", "ucblvd", *QUICK).code == 0


@pytest.mark.full
def test_all_and_groups_and_plugins_name_what_is_broken(command: CommandLine) -> None:
    two = algorithm("good", "").replace("return [", "Bad = type('Bad', (Mine,), {'name': 'bad', 'title': 0})\n    return [BAD, ")
    two = two.replace("BAD", "of(Bad)")
    command.install("several", two)
    for target in ("all", "lifelong", "several"):
        outcome = command.check(target, *QUICK)
        assert outcome.code == 4, target
        assert outcome.verdicts("good") == {"optimism": "conforms"}, target
        assert outcome.entry("bad")["errors"][0]["kind"] == "load", target
    assert command.check("good", *QUICK).code == 0


FAULTS = {
    ("silent", "silent-too"): "claims 'silent', 'silent-too' do not say what the proof uses; add `follows=PSEUDO_CODE`",
    ("nobody",): "claim 'nobody' follows from 'lnie', which is no claim of this algorithm. Did you mean 'line'",
    ("one", "two"): "the proof goes in a circle: one → two → one; remove one of them from `follows`",
    ("no-line",): "claim 'no-line' has no path to the pseudo-code: it follows from span; add to `follows` the lines",
    ("listed",): "claim 'listed': follows is ['two'], expected a tuple of names of claims, or one name",
    ("Named Badly",): "claim name 'Named Badly' is not of the form 'lower-case-words-with-dashes'",
}
FOLLOWS = {
    "silent": "()", "silent-too": "()", "nobody": "'lnie'", "one": "(PSEUDO_CODE, 'two')", "two": "'one'", "no-line": "'span'",
    "listed": "['two']", "Named Badly": "PSEUDO_CODE",
    "line": "PSEUDO_CODE", "above": "('one', 'nobody')",
}  # fmt: skip


@pytest.mark.full
def test_wrong_premises_and_declarations_are_errors_of_their_claims_alone(command: CommandLine) -> None:
    """Each cause is told once, when the plugin is listed and when it is checked; all other claims have their verdicts."""
    command.install("mine", algorithm("mine", "", PROOF, declares=proof(**FOLLOWS)))
    listed = command("list")
    assert listed.code == 0
    assert listed.words.count("mine: claim") + listed.words.count("mine: the proof") == len(FAULTS)
    assert "Broken" not in listed.out

    checked = command.check("mine", "--regime", "oracle", "--instance", "one-step")
    wrong = {name for names in FAULTS for name in names}
    verdicts = checked.verdicts("mine")
    assert {name for name, verdict in verdicts.items() if verdict == "error"} == wrong
    assert verdicts.keys() - wrong == {"span", "line", "above"}
    assert verdicts["line"] == verdicts["above"] == "conforms"
    assert checked.code == checked.record["exit_code"] == 4
    assert [error["kind"] for error in checked.entry("mine")["errors"]] == ["contract"] * len(FAULTS)
    assert re.search(r"claim 'listed': .* \(\S+\.py:\d+\)", str(checked.entry("mine")["errors"]))  # where it is declared
    for message in FAULTS.values():
        assert listed.words.count(f"mine: {message}") == checked.words.count(f"contract: mine {message}") == 1
    assert "no verdict on silent, silent-too, nobody, one, two, no-line" in checked.words

    assert command("check", "mine", "--claim", "above", "--regime", "oracle", "--instance", "one-step").code == 0
    assert f"error mine: {FAULTS[('nobody',)]}" in command("explain", "mine/nobody").words


@pytest.mark.full
def test_an_unknown_algorithm_may_belong_to_a_broken_plugin(command: CommandLine) -> None:
    command.install("broken", "import no_such_module_anywhere")
    outcome = command("check", "mystery")
    assert outcome.code == 2
    cause = "broken (ModuleNotFoundError: No module named 'no_such_module_anywhere')"
    assert f"may belong to a plugin that failed to load: {cause}. `verifier check broken --verbose` shows" in outcome.words

    whole = command("check", "broken", "--verbose")
    assert "Traceback (most recent call last)" in whole.words
    quiet = command("check", "broken", "--quiet")
    assert quiet.out.splitlines() == [f"! broken  not checked; 1 error: {cause.removeprefix('broken (')[:-1]}"]


def test_what_a_plugin_prints_on_import_stays_out_of_standard_output(command: CommandLine) -> None:
    command.install("chatty", "print('hello')\n" + algorithm("chatty", ""))
    outcome = command("check", "chatty", *QUICK, "--no-store", "--output", "json=-")
    assert outcome.code == 0
    assert json.loads(outcome.out)["algorithms"][0]["name"] == "chatty"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("fault", ["raise ImportError('assumed')", "return None", "return np.nan"])
def test_a_broken_assumption_is_an_error_of_its_algorithm(fault: str, command: CommandLine) -> None:
    top = f"""
        @instance_property()
        def _odd(instance):
            {fault}
        odd = Claim("odd", _odd, "Assumption 0", "Theorem 0", "x <= y", Kind.ASSUMPTION)
    """
    command.install("assuming", algorithm("assuming", "", top, declares="claims=(odd, *GIVEN.claims)"))
    outcome = command.check("assuming", "ucblvd", *QUICK, "--claim", "odd")
    assert outcome.code == 4
    assert outcome.verdicts("assuming") == {"odd": "error", "optimism": "error"}
    assert outcome.verdicts("ucblvd") == {"optimism": "conforms"}
    assert "assumptions on one-step" in outcome.words


EVERYTHING_BROKEN = """
import sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("verifier_") and "." not in name and name != "verifier_properties":
            raise ImportError("nothing works today")

sys.meta_path.insert(0, Finder())
"""


@pytest.mark.full
def test_commands_that_work_without_any_plugin(command: CommandLine, tmp_path: Path) -> None:
    before = command.check("ucblvd", *QUICK)
    identity = before.record["algorithms"][0]["claims"][0]["regimes"][0]["replay"]
    value = before.record["algorithms"][0]["claims"][0]["regimes"][0]["value"]
    (command.site / "sitecustomize.py").write_text(EVERYTHING_BROKEN)

    listed = command("list")
    assert listed.code == 0
    assert listed.words.count("nothing works today") == len(entry_points(group="verifier"))
    assert listed.out.count("\n  none\n") == 5

    word = command("explain", "vacuous")
    assert word.code == 0
    assert "no comparison could have failed" in word.words
    claim = command("explain", "ucblvd/optimism")
    assert claim.code == 4
    assert "nothing works today" in claim.words

    report = command("report", "record.json")
    assert report.code == 0
    assert json.loads(report.out) == before.record

    stored = command("replay", identity, "--show")
    assert stored.code == 0
    assert repr(value) in stored.out

    check = command("check", "all")
    assert check.code == 4
    assert check.words.count("nothing works today") >= 4
    assert command("check", "ucblvd").code == 4
    assert command("replay", identity).code == 4
