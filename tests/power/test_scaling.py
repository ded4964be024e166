"""The scaling claims that ship: correct algorithms are not called violated, algorithms that grow too fast are.

All runs are deterministic under their seed; a claim that holds is called violated with nominal probability 1e-3 over all of them.
There are as few seeds as decide: fewer can only leave a claim undecided more often.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest

from verifier import record
from verifier.base.config import Config
from verifier.base.profile import PROFILES
from verifier.campaign.selection import Selection
from verifier.commands.scale import ScaleCampaign
from verifier.model.scaling import BurnIn
from verifier.plugins.registry import Registry, registry

from .harness import run

pytestmark = pytest.mark.deep


@cache
def grown(names: tuple[str, ...], claim: str, seeds: int = 3, figure: str = "") -> dict[str, list[record.RegimeEntry]]:
    """The entries of a claim at the sizes of the quick profile, by algorithm, without worker processes."""
    return measured(registry(), names, claim, seeds, figure)


def measured(
    plugins: Registry, names: tuple[str, ...], claim: str, seeds: int, figure: str
) -> dict[str, list[record.RegimeEntry]]:
    """Entries of the regimes of a claim, by algorithm, measured with given plugins."""
    campaign = ScaleCampaign(
        plugins, Selection(names, (claim,)), replace(PROFILES["quick"], budget=1e6, trials=seeds), Config(), figure=figure
    )
    run(campaign, plugins)
    found = {subject.name: campaign.entry(subject, "tests", "0", "0") for subject in campaign.originals}
    return {name: list(item.claims[0].regimes) for name, item in found.items()}


def powers(entries: list[record.RegimeEntry]) -> list[str]:
    """What the wrong algorithm got, entry by entry."""
    return [entry.scaling.power.verdict for entry in entries if entry.scaling is not None and entry.scaling.power is not None]


def test_replanning_in_every_episode_violates_the_logarithm_and_ucblvd_does_not() -> None:
    entries = grown(("ucblvd", "ucblvd~trigger-always"), "planning-growth")["ucblvd"]
    assert [entry.verdict for entry in entries] == ["conforms", "conforms"]
    assert powers(entries) == ["violated", "violated"]
    for entry in entries:
        assert entry.scaling is not None
        assert entry.scaling.exponent == pytest.approx(0.2, abs=0.03)
        chosen = [model for model in entry.scaling.models if model.chosen]
        assert chosen[0].name == "logarithm"


@pytest.mark.parametrize("name", ["ucblvd-unknown-rewards", "ucblvd-modified", "lifelong-lsvi-sharing"])
def test_replanning_in_every_episode_violates_the_logarithm_of_the_variants(name: str) -> None:
    entries = grown((name, f"{name}~trigger-always"), "planning-growth", seeds=4)[name]
    assert [entry.verdict for entry in entries] == ["conforms"]
    assert powers(entries) == ["violated"]


def test_planning_calls_are_those_of_the_rate_without_the_horizon() -> None:
    """0.98 to 1.01 in our own first measurements; at K = 125 a call more or less is 6%."""
    entries = grown(("ucblvd", "ucblvd~trigger-always"), "planning-level")["ucblvd"]
    assert [entry.verdict for entry in entries] == ["conforms", "conforms"]
    assert powers(entries) == ["violated", "violated"]
    for entry in entries:
        assert entry.scaling is not None
        assert all(0.85 <= point.value <= 1.15 for point in entry.scaling.points)


def test_planning_calls_do_not_grow_with_the_horizon_unless_the_trigger_sums_over_it() -> None:
    entries = grown(("ucblvd", "ucblvd~trigger-sum"), "planning-horizon", seeds=5)["ucblvd"]
    assert [entry.verdict for entry in entries] == ["conforms"]
    assert powers(entries) == ["violated"]


def test_planning_calls_grow_with_the_dimension_as_claimed_unless_the_threshold_falls_with_it() -> None:
    entries = grown(("ucblvd", "ucblvd~trigger-over-d"), "planning-dimension")["ucblvd"]
    assert [entry.verdict for entry in entries] == ["conforms"]
    assert powers(entries) == ["violated"]


def test_planning_calls_do_not_grow_with_the_tasks_unless_their_gram_matrices_are_watched() -> None:
    entries = grown(("ucblvd", "ucblvd~trigger-contexts"), "planning-tasks")["ucblvd"]
    assert [entry.verdict for entry in entries] == ["conforms"]
    assert powers(entries) == ["violated"]


def test_linear_regret_of_the_greedy_learner_violates_the_root_and_ucblvd_does_not() -> None:
    entries = grown(("ucblvd", "ucblvd~greedy"), "regret-growth", seeds=4)["ucblvd"]
    assert [entry.verdict for entry in entries] == ["conforms"]
    assert powers(entries) == ["violated"]


def test_regret_at_the_published_width_says_nothing() -> None:
    (entry,) = grown(("ucblvd",), "regret-growth-published")["ucblvd"]
    assert entry.verdict == "vacuous"
    assert entry.nonvacuous_from is not None
    assert entry.nonvacuous_from > 1e10


def test_optimisation_error_grows_like_a_root_unless_updates_do_not_accumulate() -> None:
    names = ("ravi-ucb-tabular", "ravi-ucb-tabular~no-accumulation")
    entries = grown(names, "optimisation-growth", seeds=4)["ravi-ucb-tabular"]
    assert [entry.verdict for entry in entries] == ["conforms"]
    assert powers(entries) == ["violated"]


@pytest.mark.parametrize("name", ["ravi-ucb-tabular", "ravi-ucb-mixture"])
def test_linear_regret_of_greedy_planning_violates_the_root_and_ravi_ucb_explores(name: str) -> None:
    entries = grown((name, f"{name}~greedy"), "regret-growth")[name]
    assert [entry.verdict for entry in entries] == ["conforms"]
    assert powers(entries) == ["violated"]


def test_regret_of_ela_saturates_at_the_published_width_and_is_linear_without_a_bonus() -> None:
    entries = grown(("ela", "ela~no-bonus"), "regret-growth")["ela"]
    assert [entry.verdict for entry in entries] == ["conforms"]
    assert powers(entries) == ["violated"]


def test_what_ella_loses_by_rounding_falls_with_the_step_unless_the_planner_returns_the_worst_policy() -> None:
    entries = grown(("ella", "ella~largest-estimate"), "discretisation-growth")["ella"]
    assert [entry.verdict for entry in entries] == ["conforms"]
    assert powers(entries) == ["violated"]
    assert entries[0].scaling is not None
    realised = {point.size: point.value for point in entries[0].scaling.points}
    for item in entries[0].scaling.bound:
        assert realised[item.size] == pytest.approx(item.value - 2 / 60)


def test_rounds_of_cvar_lsvi_grow_like_a_root_unless_it_is_a_pessimist() -> None:
    entries = grown(("cvar-lsvi", "cvar-lsvi~adds-width"), "rounds-growth")["cvar-lsvi"]
    assert [entry.verdict for entry in entries] == ["conforms"]
    assert powers(entries) == ["violated"]
    assert entries[0].scaling is not None
    for point, bound in zip(entries[0].scaling.points[::3], entries[0].scaling.bound, strict=True):
        assert point.value <= bound.value


@pytest.mark.parametrize(
    ("name", "claim"), [("ela", "regret-growth"), ("cvar-lsvi", "rounds-growth"), ("ravi-ucb-tabular", "optimisation-growth")]
)
def test_on_the_ladder_that_convicts_the_wrong_algorithm_the_right_one_conforms(name: str, claim: str) -> None:
    """Ladders for wrong algorithms are shorter and have no burn-in; a right algorithm conforms on them, too."""
    right = registry().guarantees[name]
    (found,) = (item for item in right.scaling if item.name == claim)
    assert found.alternative_sizes
    moved = replace(found, sizes={"quick": found.alternative_sizes}, alternative="", burn_in=BurnIn.none("all sizes"))
    plugins = replace(registry(), guarantees={name: replace(right, scaling=(moved,))})
    assert [entry.verdict for entry in measured(plugins, (name,), claim, 3, "")[name]] == ["conforms"]


def test_linear_regret_of_the_greedy_model_violates_the_root_and_ucbvi_opens_the_lock() -> None:
    entries = grown(("ucbvi-ch", "ucbvi-ch~greedy"), "regret-growth")["ucbvi-ch"]
    assert [entry.verdict for entry in entries] == ["conforms"]
    assert powers(entries) == ["violated"]


@pytest.mark.parametrize(
    ("name", "claim", "wrong"),
    [
        ("fmdp-ch", "regret-growth", "visits-forgotten"),
        ("fmdp-bf", "regret-growth", "visits-forgotten"),
        ("fmdp-ch", "regret-factors", "summed-twice"),
    ],
)
def test_fmdps_still_learn_at_every_size_and_grow_slower_than_an_algorithm_that_is_wrong_by_a_power(
    name: str, claim: str, wrong: str
) -> None:
    """The rate is told from a power above it, not only from a line; the regret of the ladder is not that of its first size."""
    entries = grown((name, f"{name}~{wrong}"), claim, seeds=4)[name]
    assert [entry.verdict for entry in entries] == ["conforms"]
    assert powers(entries) == ["violated"]
    assert entries[0].scaling is not None
    regret: dict[float, list[float]] = {}
    for point in entries[0].scaling.points:
        regret.setdefault(point.size, []).append(point.value)
    means = [sum(values) / len(values) for _, values in sorted(regret.items())]
    assert all(after > 1.05 * before for before, after in pairwise(means))


@pytest.mark.parametrize("name", ["ucbvi-ch", "ucbvi-bf", "lsvi-ucb"])
def test_the_bounds_of_the_parents_say_nothing_at_any_size_that_can_be_played(name: str) -> None:
    (entry,) = grown((name,), "regret-growth-published", seeds=1)[name]
    assert entry.verdict == "vacuous"
    assert entry.nonvacuous_from is not None
    assert entry.nonvacuous_from > 1e5


def test_the_experiment_of_figure_1a() -> None:
    """20 planning calls against 1000, the paper says; about 30 here, where S, A, features and c are not the paper's."""
    found = grown(("ucblvd", "lifelong-lsvi"), "figure-1a-calls", 3, "1a")
    at_the_end = {}
    for name, (entry,) in found.items():
        assert entry.scaling is not None
        at_the_end[name] = [point.value for point in entry.scaling.points if point.size == 1000]
        assert entry.scaling.overlay
        assert entry.scaling.remark
    assert at_the_end["lifelong-lsvi"] == [1000.0, 1000.0, 1000.0]
    assert all(20 <= calls <= 40 for calls in at_the_end["ucblvd"])


def figures(plugins: Registry, figure: str, seeds: int = 6) -> tuple[record.FigureEntry, ...]:
    """The entries of a figure of the paper on lifelong RL, without worker processes."""
    profile = replace(PROFILES["quick"], budget=1e6, trials=seeds)
    campaign = ScaleCampaign(plugins, Selection(("ucblvd", "lifelong-lsvi")), profile, Config(), figure=figure)
    run(campaign, plugins)
    return campaign.figures()


def test_figure_1a_differs_where_ucblvd_replans_in_every_episode_and_does_not_where_it_is_right() -> None:
    """Six seeds do not decide whether the rewards are almost the same."""
    plugins = registry()
    given = plugins.guarantees["ucblvd"]
    wrong = replace(given, algorithm=given.mutant("trigger-always").algorithm)
    planted = Registry({**plugins.guarantees, "ucblvd": wrong}, dict(plugins.settings))
    (right,), (found,) = figures(plugins, "1a"), figures(planted, "1a")
    assert [statement.verdict for statement in right.statements] == ["cannot tell", "holds", "holds", "holds"]
    assert right.verdict == "cannot tell"
    assert [statement.verdict for statement in found.statements][1:] == ["does not hold", "does not hold", "holds"]
    assert found.verdict == "differs"


def test_regret_of_bandits_grows_as_their_theorems_say_and_linear_regret_does_not() -> None:
    for name in ("ucb1", "moss", "oful"):
        entries = grown((name,), "regret-growth", 6)[name]
        assert [entry.verdict for entry in entries] == ["conforms"], name
        assert powers(entries) == ["violated"], name
