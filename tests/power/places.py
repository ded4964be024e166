"""Where planted bugs are run: on the cheapest instances of the catalogue on which all claims that a bug names go red."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from verifier.model.mutant import SEPARATOR
from verifier.plugins.registry import registry

from .usual_places import ELSEWHERE, USUAL

Shown = Mapping[str, set[str]]
"""Claims by regime."""

ORACLE, PUBLISHED, FARTHEST = "oracle", "published", "oracle[minimiser=farthest]"


@dataclass(frozen=True)
class Place:
    """Instances on which a planted bug is run together, and what has to be seen there.

    Attributes
    ----------
    instances, regimes : tuple of str
        No regimes for all that the instances have.
    shown : mapping
        Claims, by regime, that are violated in it.
    only : mapping
        The same, where no other claim is violated in that regime.
    found, missed : set of str
        Claims that are violated somewhere, and claims that are violated nowhere.
    trials : int
        At most so many in each regime of each instance.
    seeds : tuple of int
        What has to be seen is seen with each of them.
    """

    instances: tuple[str, ...]
    regimes: tuple[str, ...] = ()
    shown: Shown = field(default_factory=dict)
    only: Shown = field(default_factory=dict)
    found: frozenset[str] = frozenset()
    missed: frozenset[str] = frozenset()
    trials: int = 1
    seeds: tuple[int, ...] = (0,)


FEW = (USUAL["ucblvd"],)
REGRETS = frozenset({"regret", "regret-expectation", "uniform-output", "gap-sum", "gap-sum-sharp"})


def few(**more: Shown) -> tuple[Place, ...]:
    """The usual instance."""
    return (Place(FEW, **more),)


def on(instance: str, shown: Shown) -> Place:
    """Another instance."""
    return Place((instance,), shown=shown)


def with_any_seed(*found: str) -> Place:
    """Instances on which these claims go red with every seed."""
    return Place(("one-feature", *FEW), found=frozenset(found), seeds=(1, 2))


CLOSELY = {
    "ucblvd~half-bonus": (
        # why there is an oracle regime: with the paper's constants every value is at its cap
        Place(FEW, shown={FARTHEST: {"q-formula", "optimism"}}, only={PUBLISHED: {"q-formula"}}),
        on("one-feature", {FARTHEST: {"q-formula", "distillation-error", "optimism"}}),
        with_any_seed("q-formula", "distillation-error", "optimism"),
    ),
    "ucblvd~squared-bonus": (
        *few(shown={PUBLISHED: {"q-formula"}, ORACLE: {"q-formula", "optimism"}}),
        with_any_seed("q-formula", "distillation-error", "optimism"),
    ),
    "ucblvd~wrong-step-target": (
        on("one-feature", {PUBLISHED: {"regression", "value-function"}, ORACLE: {"regression", "distillation-error"}}),
        with_any_seed("regression", "value-function", "distillation-error"),
    ),
    "ucblvd~trigger-first-step": (
        *few(shown={PUBLISHED: {"trigger", "growth-in-force"}, ORACLE: {"trigger", "growth-in-force"}}),
        with_any_seed("trigger", "growth-in-force"),
    ),
    "ucblvd~l-omitted": (on("signed-contexts", {ORACLE: {"q-formula"}}),),
    "ucblvd~signed-l": (on("signed-contexts", {ORACLE: {"q-formula"}}),),
    "ucblvd~gram-for-inverse": few(shown={PUBLISHED: {"q-formula"}, ORACLE: {"q-formula", "optimism", "regret-recursion"}}),
    "ucblvd~greedy": few(shown={PUBLISHED: {"q-formula"}, ORACLE: {"q-formula", "optimism"}}),
    "ucblvd~no-last-bonus": few(shown={PUBLISHED: {"q-formula"}}),
    "ucblvd~no-clip": few(shown={PUBLISHED: {"value-range", "value-function", "parameter-norm"}}),
    "ucblvd~clip-at-one": (
        on("onehot", {PUBLISHED: {"value-function", "regression"}, ORACLE: {"ball-constraint"}}),
        on("late-context", {}),
    ),
    "ucblvd~no-positive-part": (on("appendix-h", {ORACLE: {"q-formula", "value-range", "value-function"}}),),
    "ucblvd~boastful": few(shown={PUBLISHED: {"q-formula"}, ORACLE: {"q-formula", "value-function"}}),
    "ucblvd~gram-twice": few(
        shown={PUBLISHED: {"gram", "regression", "determinant-trace"}, ORACLE: {"gram", "distillation-error"}}
    ),
    "ucblvd~half-the-data": few(shown={PUBLISHED: {"gram", "regression", "trigger"}, ORACLE: {"gram", "regression"}}),
    "ucblvd~gram-wrong-step": (on("onehot", {PUBLISHED: {"gram", "regression", "potential"}}),),
    "ucblvd~unit-ridge": (on("strong-ridge", {PUBLISHED: {"gram", "regression", "q-formula"}}),),
    "ucblvd~own-task-only": few(shown={PUBLISHED: {"regression"}, ORACLE: {"regression", "optimism"}}),
    "ucblvd~kronecker-order": few(
        shown={PUBLISHED: {"program-value"}, ORACLE: {"program-value", "distillation-error", "optimism"}}
    ),
    "ucblvd~block-shift": few(shown={PUBLISHED: {"program-value"}, ORACLE: {"program-value", "distillation-error", "optimism"}}),
    "ucblvd~one-representative": few(shown={ORACLE: {"value-function", "distillation-error"}}),
    "ucblvd~one-target": few(shown={ORACLE: {"distillation-error"}}),
    "ucblvd~wide-balls": few(shown={ORACLE: {"ball-constraint", "distillation-error"}}),
    "ucblvd~no-norm-bound": (
        on("tilted", {ORACLE: {"norm-constraint"}}),
        on("rank-deficient", {PUBLISHED: {"norm-constraint"}, ORACLE: {"norm-constraint"}}),
    ),
    "ucblvd~no-ball-check": (
        # where the program has no point of value 0 in the balls, whatever is played
        Place(("opposed-representatives",), (ORACLE,), only={ORACLE: {"ball-constraint"}}, seeds=(0, 1, 2, 3, 4)),
    ),
    "ucblvd~trigger-all": few(shown={PUBLISHED: {"trigger", "growth-in-force"}}),
    "ucblvd~trigger-sum": few(shown={PUBLISHED: {"trigger"}}),
    "ucblvd~trigger-base-two": few(shown={PUBLISHED: {"trigger"}}),
    "ucblvd~trigger-never": (
        on("one-feature", {PUBLISHED: {"trigger", "growth-in-force", "planning-calls-least", "potential"}}),
    ),
    "ucblvd~stops-replanning": (on("onehot", {PUBLISHED: {"trigger", "growth-in-force", "planning-calls-least"}}),),
    "ucblvd~trigger-always": few(shown={PUBLISHED: {"trigger", "planning-calls", "planning-calls-sharp"}}),
    "ucblvd~current-gram": few(shown={PUBLISHED: {"plays-policy"}, ORACLE: {"plays-policy"}}),
    "ucblvd~disobedient": few(shown={PUBLISHED: {"plays-policy"}, ORACLE: {"plays-policy"}}),
    "ucblvd~wrong-context": (
        Place(("onehot",), shown={PUBLISHED: {"plays-policy"}, ORACLE: {"plays-policy", "regret-recursion"}}, trials=2),
    ),
    "ucblvd~worst-action": (
        *few(shown={PUBLISHED: {"greedy"}, ORACLE: {"greedy", "regret-recursion"}}),
        on("one-step", {ORACLE: {"pathwise-regret"}}),  # nothing is to be learnt there, and all regret is the policy's
    ),
    "lifelong-lsvi~worst-action": (*few(), on("one-step", {ORACLE: {"pathwise-regret"}})),
    "ucblvd~bought-width": (
        *few(shown={FARTHEST: {"ball-constraint", "distillation-error"}}),
        Place(("tilted",), (FARTHEST,), shown={FARTHEST: {"ball-constraint"}}),  # where programs go to the cone solver
    ),
    "ucblvd~wishful-width": few(shown={PUBLISHED: {"value-function"}, ORACLE: {"value-function"}}),
    "ucblvd~width-without-root": few(only={PUBLISHED: {"width"}}),
    "ucblvd~narrow-width": (
        *few(),
        Place(("long-run",), (PUBLISHED,), shown={PUBLISHED: {"confidence-event"}}, trials=32),
    ),
    "lifelong-lsvi~quarter-bonus": few(shown={PUBLISHED: {"q-formula"}, ORACLE: {"q-formula", "optimism"}}),
    "lifelong-lsvi~squared-bonus": few(shown={PUBLISHED: {"q-formula"}, ORACLE: {"q-formula", "optimism"}}),
    "lifelong-lsvi~wrong-step-target": few(shown={PUBLISHED: {"regression", "value-function"}, ORACLE: {"bonus-validity"}}),
    "lifelong-lsvi~no-clip": few(shown={PUBLISHED: {"value-range", "value-function"}}),
    "lifelong-lsvi~clip-at-one": (on("rotation-tilted", {PUBLISHED: {"regression", "value-function"}}),),
    "lifelong-lsvi~gram-twice": few(shown={PUBLISHED: {"gram", "regression"}, ORACLE: {"gram", "bonus-validity", "optimism"}}),
    "lifelong-lsvi~disobedient": (on("onehot", {PUBLISHED: {"plays-policy"}, ORACLE: {"plays-policy", "regret-recursion"}}),),
    "lifelong-lsvi~plans-every-other": few(shown={PUBLISHED: {"planning-calls"}}),
    "ella~worst-budget": (
        Place(("no-bonus",), (ORACLE,), shown={ORACLE: {"best-estimate", "decomposition"}}),
        Place(("no-transition",), (ORACLE,), shown={ORACLE: {"regret-decomposition"}}),
    ),
    "ela~no-bonus": (
        Place((USUAL["ela"],)),
        # two uniform actions explore a random MDP by themselves; the bonus is compared with its formula
        Place(("low-rank",), (ORACLE,), shown={ORACLE: {"bonus", "per-step-optimism"}}),
    ),
    "cvar-lsvi~worst-action": (
        Place((USUAL["cvar-lsvi"],)),
        Place(("sure-choice",), (ORACLE,), shown={ORACLE: {"near-optimum"}}),
    ),
    "cvar-lsvi~printed-range": (Place(("wide-bonuses",), (PUBLISHED,), found=frozenset({"confidence-event"}), trials=32),),
    # little evidence of each run, and much of many
    **{
        f"{name}~{bug}": (Place((instance,), (PUBLISHED,), found=frozenset(found), trials=40),)
        for name, instance in (("ravi-ucb-mixture", "mixture-confidence"), ("ravi-ucb-tabular", "random-point"))
        for bug, found in (
            ("narrow-width", {"confidence"}),
            ("one-epoch", {"coin", "longest-epoch", "length-factor"}),
        )
    },
    # seen where a run has many epochs: a law is called conforming once the law that it names would have been found, and where
    # runs are short that is before a tenth less or more of the probability shows
    **{
        f"{name}~{bug}": (Place((instance,), (PUBLISHED,), found=frozenset({"coin"}), trials=40),)
        for name, instance in (("ravi-ucb-mixture", "mixture-confidence"), ("ravi-ucb-tabular", "random-half"))
        for bug in ("frequent-coin", "rare-coin")
    },
    "ravi-ucb-mixture~no-clip": (
        Place(
            ("mixture-confidence",), (PUBLISHED,), found=frozenset({"noise-event", "noise-event-sharp", "stability"}), trials=12
        ),
    ),
    "ravi-ucb-mixture~constant-bonus": (Place(("mixture-confidence",), (PUBLISHED,), trials=24),),
    "ravi-ucb-mixture~timid": (Place(("mixture-confidence",), (PUBLISHED,), trials=24),),
    "ravi-ucb-tabular~constant-bonus": (
        Place((USUAL["ravi-ucb-tabular"],), (PUBLISHED,), found=frozenset({"bonus-sum-expectation"}), trials=120),
    ),
    "ravi-ucb-tabular~stuck": (
        # what a regret may be at most is far above its bound, so that it takes many runs
        Place((USUAL["ravi-ucb-tabular"],), ("oracle[model=exact]",), trials=900),
    ),
    "ravi-ucb-tabular~shy": (
        Place((USUAL["ravi-ucb-tabular"],), (PUBLISHED,), found=frozenset({"bonuses-expectation"}), trials=140),
    ),
    # lower regret than the algorithm's: no bound on the regret would find these
    "ravi-ucb-mixture~greedy-policy": (Place((USUAL["ravi-ucb-mixture"],), found=frozenset({"policy-update"}), missed=REGRETS),),
    "ravi-ucb-tabular~greedy-policy": (Place((USUAL["ravi-ucb-tabular"],), found=frozenset({"policy-update"}), missed=REGRETS),),
    # policies are made laws before anything is computed of their occupancies, which a linear system gives for no other
    **{
        f"{name}~unnormalised": (Place((USUAL[name],)), Place((instance,)))
        for name, instance in (("ravi-ucb-mixture", "mixture-path"), ("ravi-ucb-tabular", "mixture-path"))
    },
    # whole numbers of 16 bits end at 2048
    **{f"{name}~half-counts": (Place(("long-sums",), (PUBLISHED,)),) for name in ("fmdp-bf", "fmdp-ch")},
    "ela~half-counts": (Place(("long-counts",), (PUBLISHED,)),),
    "flat-ch~half-counts": (Place(("long-sums",), ("scaled(0.001)",)),),
    "fmdp-bf~plays-another": (Place(("overlap",), (PUBLISHED,), found=frozenset({"expected-visits"}), trials=8),),
    "knapsack~narrow-width": (Place(("one-budget",), (PUBLISHED,), shown={PUBLISHED: {"width", "coverage"}}, trials=32),),
    "knapsack~state-for-successor": (
        Place(("one-budget",), (PUBLISHED,), only={PUBLISHED: {"kernel", "law-confidence"}}, trials=32, seeds=(0, 1, 2)),
    ),
    "knapsack~rewards-not-divided": (
        Place(
            ("one-budget",), (PUBLISHED,), only={PUBLISHED: {"reward-estimate", "reward-confidence"}}, trials=32, seeds=(0, 1, 2)
        ),
    ),
    "ucbvi-bf~narrow-bonus": (Place(("random",), (PUBLISHED,), shown={PUBLISHED: {"width", "coverage"}}, trials=32),),
    "ucbvi-ch~narrow-bonus": (Place(("random",), (PUBLISHED,), shown={PUBLISHED: {"width", "coverage"}}, trials=32),),
    "mvp~narrow-width": (Place(("random",), (PUBLISHED,), shown={PUBLISHED: {"width", "coverage"}}, trials=12),),
    "ucrl2~narrow-radius": (Place(("random",), (PUBLISHED,), shown={PUBLISHED: {"width", "confidence-event"}}, trials=32),),
    "ucbvi-ch~without-h": (
        Place((USUAL["ucbvi-ch"],), found=frozenset({"bonus-formula", "bonus-validity"}), missed=frozenset({"regret"})),
    ),
}
"""What is known more closely of some bugs: which claims go red in which regime."""


def once(instance: str, *found: str) -> Place:
    """One run with the exact width, in which these claims go red."""
    return Place((instance,), (ORACLE,), found=frozenset(found))


FURTHER = {
    **{
        f"{name}~narrow-width": Place(("long-run",), (PUBLISHED,), found=frozenset({"confidence-event"}), trials=32)
        for name in ("lifelong-lsvi", "lifelong-lsvi-sharing", "ucblvd-modified", "ucblvd-unknown-rewards")
    },
    "ucb-hoeffding~worst-action": once("one-state", "pathwise-regret"),
    "ucrl2~worst-action": once("one-state", "pathwise-regret"),
    "fmdp-bf~forward-order": Place(("few-rivers",), found=frozenset({"deviation"})),
    "fmdp-ch~counts-twice": Place(("flat",), (PUBLISHED,), found=frozenset({"reduction"})),
    "cvar-lsvi~largest-estimate": once("many-episodes", "returned-policy"),
    "ucblvd~garbage-random": once("later-representatives", "backup-combination"),
    "ucblvd-modified~garbage-random": once("rotation", "backup-combination"),
    "ella~garbage-random": once("step-long", "per-step-optimism"),
    "ella~garbage-alternating": once("step-sure", "optimism", "optimism-sharp"),
    # which asks for the width where the bonus is the error itself: no number to bound bonuses by
    "ravi-ucb-mixture~garbage-random": Place(("mixture-confidence",), ("oracle[bonus=exact]",), trials=5),
    "ravi-ucb-mixture~no-accumulation": once(
        "mixture-myopic", "average-optimism", "gap-sum", "gap-sum-sharp", "gap-sum-by-residuals"
    ),
    "lifelong-lsvi-sharing~garbage-random": once("onehot", "error-decomposition"),
    "lifelong-lsvi-sharing~trigger-never": once("onehot", "potential", "stale-bonus"),
    "ucblvd-unknown-rewards~garbage-random": once("onehot", "psi-determinant-trace"),
    "ucblvd-unknown-rewards~garbage-alternating": once("later-representatives", "backup-combination"),
    "ucblvd-unknown-rewards~garbage-zero": once("single-context", "pathwise-regret"),
    "ucblvd-unknown-rewards~trigger-never": once(
        "onehot", "psi-potential", "psi-sum-of-bonuses", "psi-stale-bonus", "planning-calls-least"
    ),
}
"""Where wrong agents violate claims that no other does where it is usually run, in one run; `declared` has those of many."""


def places(name: str) -> tuple[Place, ...]:
    """Where a planted bug, ``ALGORITHM~BUG``, is run."""
    algorithm, _, bug = name.partition(SEPARATOR)
    elsewhere = [instance for instance, bugs in ELSEWHERE.get(algorithm, {}).items() if bug in bugs]
    usual = CLOSELY.get(name) or (Place(tuple(elsewhere or [USUAL[algorithm]])),)
    further = (FURTHER[name],) if name in FURTHER else ()
    return (*usual, *further, *(() if name in CLOSELY else declared(algorithm, bug)))


def declared(algorithm: str, bug: str) -> tuple[Place, ...]:
    """Where the algorithm itself says that an agent violates what is hard to violate."""
    return tuple(
        Place((shown.instance,), (shown.regime,), found=frozenset(shown.claims), trials=shown.trials)
        for shown in registry().guarantees_of(algorithm).shown
        if shown.agent == bug
    )
