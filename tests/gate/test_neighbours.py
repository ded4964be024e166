"""What one plugin does to the process it runs in never shows in the verdicts of another one."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ..cli.plugins import CommandLine
from ..unit.reports.sample import sample
from . import outcomes
from .faults import INNOCENT, ONE_TRIAL, check, require_told, variant
from .runs import LEAVES, TAMPERS


@pytest.fixture
def command(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path)


def kept(command: CommandLine) -> set[str]:
    with closing(sqlite3.connect(command.folder / ".verifier" / "results.sqlite3")) as store:
        return {algorithm for (algorithm,) in store.execute("SELECT algorithm FROM results")}


@pytest.mark.full
@pytest.mark.parametrize("mode", [pytest.param((), id="plain"), pytest.param(("--blind",), id="blind", marks=pytest.mark.deep)])
def test_changes_of_what_all_share_are_told_not_kept_and_hurt_nobody_else(mode: tuple[str, ...], command: CommandLine) -> None:
    faults = TAMPERS | LEAVES
    outcome = check(command, faults, "--jobs", "1", *mode)
    require_told(outcome, faults)
    outcomes.compare(outcome, faults, bool(mode))
    assert kept(command) == {INNOCENT}


ASSUMPTIONS = """
from verifier.model.inequality import Inequality
for given in GIVEN.claims:
    object.__setattr__(given.property, "function", lambda view: Inequality(2.0, 1.0, trivial=3.0))
"""


@pytest.mark.full
def test_what_a_plugin_writes_into_declarations_when_it_is_imported_is_put_back(command: CommandLine) -> None:
    """Assumptions are measured in the command's own process, which has imported both plugins."""
    command.install("evil", variant("", "", top=ASSUMPTIONS).named("evil"))
    outcome = command.check("evil", INNOCENT, *ONE_TRIAL)
    (error,) = outcome.entry("evil")["errors"]
    assert (error["kind"], "the plugin replaced verifier_" in error["message"]) == ("load", True)
    assert outcome.verdicts(INNOCENT) == {"optimism": "conforms"}


HONEST = """
def at_ease():
    import concurrent.futures, logging, warnings
    import scipy.optimize, scipy.special, numpy.polynomial.chebyshev

    scipy.optimize.linprog([1.0], bounds=[(0, 1)])
    scipy.special.logsumexp([1.0])
    np.char.upper("x"), np.ma.array([1.0]), np.vectorize(abs)([1.0]), np.random.default_rng(3).normal()
    np.set_printoptions(precision=3)
    np.seterr(all="warn")
    warnings.warn("odd")
    logging.getLogger("verifier").addHandler(logging.NullHandler())
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(abs, range(4)))
    from verifier_settings.lifelong import LIFELONG

    LIFELONG.scenario("one-step").draw(0)
"""


def test_what_honest_plugins_do_is_no_tampering(command: CommandLine) -> None:
    command.install(
        "honest", variant("def run(self, env):\n    at_ease()\n    yield from super().run(env)", "", top=HONEST).named("honest")
    )
    outcome = command.check("honest", INNOCENT, *ONE_TRIAL)
    assert outcome.code == 0, outcome
    assert outcome.verdicts("honest") == outcome.verdicts(INNOCENT) == {"optimism": "conforms"}


TELLS = """
import pathlib
with pathlib.Path("imported").open("a") as file:
    file.write("NAME ")
"""


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("arguments", "imported"),
    [
        (("check", INNOCENT, *ONE_TRIAL, "--no-store", "--output", "json=record.json"), set()),
        (("check", f"{INNOCENT}~half-bonus", *ONE_TRIAL, "--no-store"), set()),
        (("check", "first", *ONE_TRIAL, "--no-store"), {"first"}),
        (("check", INNOCENT, "second", *ONE_TRIAL, "--no-store", "--blind"), {"second"}),
        (("explain", f"{INNOCENT}/optimism"), set()),
        (("replay", f"{INNOCENT}/optimism:one-step:oracle:0:0"), set()),
        (("replay", "first/optimism:one-step:oracle:0:0", "--show"), set()),
        (("report", "record.json"), set()),
        (("list",), {"first", "second"}),
        (("explain", "what is this"), {"first", "second"}),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, tuple) else "",
)
def test_a_plugin_is_imported_where_it_is_needed_and_nowhere_else(
    arguments: tuple[str, ...], imported: set[str], command: CommandLine
) -> None:
    for name in ("first", "second"):
        command.install(name, variant("", "", top=TELLS).named(name))
    (command.folder / "record.json").write_text(json.dumps(sample().to_json()))
    assert command(*arguments).code in (0, 1, 2)
    place = command.folder / "imported"
    assert set(place.read_text().split() if place.exists() else ()) == imported


IN_PLACE = """
from verifier.model.inequality import Inequality

@phase_property()
def _shifted(view):
    Q = view.Q
    Q -= 1.0
    return Inequality(Q, np.full(Q.shape, 1e3), trivial=np.inf, axes=("plan", "h", "s", "a", "w"))

shifted = Claim("shifted", _shifted, "Lemma 7", "Lemma 7", "Q - 1 is small", Kind.ALWAYS, clause=GIVEN.claims[0].clause,
    follows=("pseudo-code",))
"""


@pytest.mark.full
def test_a_property_that_computes_in_place_errs_alone(command: CommandLine) -> None:
    """A property that changes a view is honest, as nothing says that views are shared; other claims must not suffer from it."""
    source = variant("", "", top=IN_PLACE, declares="claims=(shifted, *GIVEN.claims), scaling=(), errata=()")
    command.install("in-place", source.named("in-place"))
    place = ("--regime", "oracle", "--instance", "one-step", "--instance", "few-episodes")
    outcome = command.check("in-place", INNOCENT, *place)
    assert outcome.entry("in-place")["claims"], outcome.entry("in-place")["errors"]
    verdicts, expected = outcome.verdicts("in-place"), outcome.verdicts(INNOCENT)
    assert verdicts.pop("shifted") == "error", outcome
    assert verdicts == expected
    assert "violated" not in expected.values()
    (errors, others) = (entry["errors"] for entry in outcome.record["algorithms"])
    assert ({error["kind"] for error in errors}, others) == ({"crash"}, [])
    assert all("ValueError: output array is read-only" in error["message"] for error in errors), errors
    assert outcome.code == 4
