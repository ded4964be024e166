"""Which wrong agent violates which claim, beside those that a planted bug names itself (`Mutant.caught_by`).

Claims that hold with certainty are seen to fail in the places of `places`, in one run of a planted bug or of a garbage agent.
Claims of other kinds are seen to fail in many runs, in places that name them.
"""

from __future__ import annotations

from collections.abc import Mapping

BESIDE: Mapping[str, str] = {
    "cvar-lsvi~garbage-random": "xi trace",
    "cvar-lsvi~garbage-zero": "round-gap",
    "ela~garbage-alternating": "optimism optimism-sharp expected-bonus",
    "ela~worst-action": "regret-decomposition",
    "ella~garbage-random": "expected-bonus",
    "ella~planner-adds-width": "planner-optimism",
    "flat-ch~narrow-bonus": "reward-width",
    "fmdp-bf~garbage-alternating": "regret-chain two-sided-gap optimistic-variance-transfer product-coverage",
    "fmdp-bf~garbage-first": "product-distance product-error",
    "fmdp-bf~no-clip": "variance-error",
    "fmdp-ch~garbage-alternating": "product-distance product-error regret-chain",
    "lifelong-lsvi~garbage-first": "estimate-norm error-decomposition potential sum-of-bonuses determinant-trace",
    "lifelong-lsvi~no-clip": "parameter-norm",
    "lifelong-lsvi~garbage-zero": "pathwise-regret",
    "lifelong-lsvi-sharing~garbage-random": "greedy determinant-trace regret-recursion planning-calls-growth",
    "lifelong-lsvi-sharing~garbage-zero": "sum-of-bonuses pathwise-regret",
    "lifelong-lsvi-sharing~trigger-never": "planning-calls-least",
    "lifelong-lsvi-sharing~trigger-always": "planning-calls-sharp",
    "lifelong-lsvi-sharing~garbage-alternating": "value-range",
    "lsvi-rfe~boastful": "planning-value-function",
    "lsvi-rfe~garbage-random": "gram-order variance-gram-order norm-order gram-above gram-below potential",
    "lsvi-rfe~garbage-zero": "planned-loss",
    "lsvi-rfe~other-policy": "planned-gap-by-bonus",
    "lsvi-rfe~wishful-width": "planning-width-target",
    "lsvi-rfe~worst-action": "simulation-lemma one-step-bound",
    "lsvi-rfe~wrong-step-target": "pointwise-error variance-bound",
    "lsvi-ucb~garbage-alternating": "value-cap parameter-norm estimate-norm determinant-trace regret-recursion",
    "lsvi-ucb~next-step": "potential sum-of-bonuses",
    "ravi-ucb-mixture~garbage-alternating": (
        "initial-policy variational-value accumulated-value feature-bound estimate-decomposition bias value-range "
        "validity backup-from-below backup-from-above backup-from-above-sharp change-of-policy change-of-policy-sharp "
        "stability stability-sharp potential determinant-trace bad-epochs"
    ),
    "ravi-ucb-mixture~unnormalised": "total-deviation",
    "ravi-ucb-tabular~garbage-alternating": (
        "initial-policy variational-value accumulated-value value-range validity backup-from-below backup-from-above "
        "backup-from-above-sharp change-of-policy change-of-policy-sharp stability stability-sharp bonus-sum"
    ),
    "ravi-ucb-tabular~no-accumulation": "average-optimism gap-sum gap-sum-sharp gap-sum-by-residuals",
    "ravi-ucb-tabular~greedy-value": "total-deviation",
    "rlsvi~garbage-first": "value-size",
    "rlsvi~worst-action": "prediction-error",
    "ucblvd~gram-wrong-step": (
        "estimate-norm error-decomposition program-value-any misspecified-error misspecified-optimism stale-bonus"
    ),
    "ucblvd~garbage-zero": "sum-of-bonuses pathwise-regret planning-calls-growth",
    "ucblvd~kronecker-order": "distillation-error-half",
    "ucblvd-modified~garbage-alternating": (
        "value-range greedy parameter-norm estimate-norm error-decomposition ball-constraint norm-constraint "
        "determinant-trace stale-bonus planning-calls-sharp planning-calls-growth"
    ),
    "ucblvd-modified~garbage-zero": "misspecified-optimism potential sum-of-bonuses pathwise-regret",
    "ucblvd-modified~wrong-step-target": "misspecified-error regret-recursion",
    "ucblvd-unknown-rewards~garbage-alternating": (
        "value-function value-range greedy parameter-norm estimate-norm error-decomposition ball-constraint "
        "norm-constraint program-value program-value-any distillation-error determinant-trace stale-bonus "
        "regret-recursion planning-calls-sharp planning-calls-growth reward-confidence reward-error"
    ),
    "ucblvd-unknown-rewards~garbage-zero": "misspecified-optimism potential sum-of-bonuses",
    "ucblvd-unknown-rewards~gram-twice": "misspecified-error",
    "ucbvi-bf~garbage-alternating": "value-range regret-recursion",
    "ucbvi-bf~garbage-zero": "visit-sum",
    "ucbvi-ch~garbage-alternating": "value-range regret-recursion",
    "ucbvi-ch~garbage-zero": "visit-sum",
    "ucblvd-unknown-rewards~narrow-width": "reward-width",
    "mvp~garbage-alternating": "value-range regret-recursion",
    "ucrl-vtr~garbage-alternating": "determinant-trace large-episodes sum-of-bonuses regret-recursion",
    "ucrl-vtr~blind": "pathwise-regret",
    "rf-ucrl~garbage-alternating": "value-range planning-loss error-recursion",
    "bpi-ucrl~adds-bonus": "bounds-in-order lower-bound policy-loss gap-recursion",
    "bpi-ucrl~garbage-alternating": "value-range",
    "ucrl2~worst-action": "regret-recursion",
}
"""By wrong agent, further claims that it violates in the places it is run in."""

VACUOUS: Mapping[str, str] = {
    "lifelong-lsvi": "noise-event",
    "lifelong-lsvi-sharing": "noise-event",
    "lsvi-rfe": "sum-of-backups sum-of-weights",
    "ravi-ucb-mixture": "regret-expectation",
    "ucblvd": "noise-event",
    "ucblvd-modified": "noise-event",
    "ucblvd-unknown-rewards": "noise-event",
}
"""By algorithm, claims whose bounds are above the trivial ones wherever they are evaluated: they never conform."""
