"""The instance that shows most bugs of an algorithm, and those that show others, by the names of algorithms and of bugs."""

from __future__ import annotations

USUAL = {
    "cvar-lsvi": "coarse-steps",
    "ela": "skewed-twins",
    "ella": "step-four",
    "flat-ch": "three-rivers",
    "fmdp-bf": "few-episodes",
    "fmdp-ch": "few-episodes",
    "knapsack": "few-episodes",
    "lifelong-lsvi": "few-representatives",
    "lifelong-lsvi-sharing": "few-representatives",
    "lsvi-rfe": "rotated",
    "lsvi-ucb": "anywhere",
    "ravi-ucb-mixture": "mixture-base",
    "ravi-ucb-tabular": "random-point",
    "ucblvd": "few-representatives",
    "ucblvd-modified": "strong-ridge",
    "ucblvd-unknown-rewards": "one-feature",
    "moss": "bandit-five",
    "kl-ucb": "bandit-five",
    "thompson": "bandit-five",
    "ucb1": "bandit-five",
    "oful": "linear-bandit-constants",
    "exp3": "adversary-graded",
    "psrl": "random",
    "rlsvi": "anywhere",
    "mvp": "anywhere",
    "ucb-bernstein": "short-jackpot",
    "ucb-hoeffding": "anywhere",
    "ucbvi-bf": "anywhere",
    "ucbvi-ch": "anywhere",
    "rf-ucrl": "anywhere",
    "bpi-ucrl": "anywhere",
    "ucrl2": "anywhere",
    "ucrl-vtr": "mixture-constants",
}
"""The instance that shows most bugs of an algorithm in one run."""

ELSEWHERE = {
    "cvar-lsvi": {"saturated": ("printed-clip",), "high-budgets": ("no-upper-clip",)},
    "ela": {
        "step-switch": ("wraps-budget",),
        "fine-switch": ("ceil",),
        "step-four": ("own-action-in-d", "own-second-action"),
        "bait": ("recycled-draws", "same-action-twice"),
        "other-start": ("first-start",),
        "many-iterations": ("stops-learning",),
    },
    "ella": {
        "step-sure": (
            "budgets-to-one", "covariance-both", "extra-trajectory", "last-iteration-only", "last-reward-forgotten",
            "learns-twice", "negative-part", "plans-twice", "skips-budgets", "stale-choice", "truncated-grid",
        ),
        "no-transition": (
            "evaluates-last", "first-episode-only", "never-last-action", "no-tau", "other-tail", "times-tau",
        ),
        "no-bonus": (
            "largest-estimate", "last-policy", "last-round", "learns-from-d", "plans-in-first-model",
            "stale-estimates", "stale-model",
            *(f"planner-{bug}" for bug in (
                "adds-width", "clip-at-zero", "keeps-budget", "last-episode-only", "learns-twice", "lumps-atoms",
                "asks-for-nothing",
                "never-asks", "never-learns", "next-reward", "no-last-feature", "one-budget", "other-policy", "other-steps",
                "random-policy", "small-bonus", "small-ridge", "small-width", "squared-norm", "worst-action", "wraps-budget",
            )),
        ),
        "step-one": ("negative-bonus",),
        "no-choice": ("printed-clip", "printed-width", "narrow-width"),
        "step-switch": ("float-ceil", "other-grid", "spends-mean"),
        "step-7-25": ("ceil",),
    },
    "fmdp-bf": {
        "few-rivers": ("others-at-mode", "variance-of-means"),  # where values differ between states
        "decimal-rewards": ("half-sums", "single-sums"),
    },
    "fmdp-ch": {"decimal-rewards": ("half-sums", "single-sums")},
    "flat-ch": {"decimal-rewards": ("half-sums", "single-sums")},
    "knapsack": {
        "first-example": ("debt-forgiven", "dies-at-zero", "half-sums", "single-sums"),
        "second-example": ("budget-blind", "spends-nothing"),
        "one-state": ("budgets-in-bonus",),  # where there are not as many budgets as costs
    },
    "lifelong-lsvi": {
        "appendix-h": ("no-positive-part",),
        "strong-ridge": ("unit-ridge", "unit-ridge-width"),
        "weak-ridge": ("usual-delta",),
    },
    "lifelong-lsvi-sharing": {
        "one-feature": ("trigger-never",),
        "signed-contexts": ("plans-in-secret", "trigger-always"),
        "strong-ridge": ("unit-ridge", "unit-ridge-width"),
        "weak-ridge": ("usual-delta",),
    },
    "lsvi-rfe": {
        "simplex": ("narrow-radius",),  # the published radii
        "one-episode": ("reads-the-reward",),  # where actions tie
    },
    "psrl": {"from-prior": ("other-prior", "small-prior")},  # where the kernel is drawn
    "ucrl2": {"one-state": ("plans-once", "plans-always")},  # where counts are large, and doubled counts are few
    "ucrl-vtr": {"mixture-costs": ("no-floor",)},  # where values are below 0
    "oful": {"linear-bandit-random": ("not-negative",)},  # where some coefficients are below 0
    "exp3": {
        "adversary-few-rounds": ("at-most-half",),  # where gamma is 1
        "bandit-five": ("sees-rewards",),  # where rewards are drawn
        "adversary-constant": ("floored", "uniform", "sees-table"),  # in many rounds
    },
    "lsvi-ucb": {"one-state": ("blind",)},  # where little is to be learnt, and most regret is the policy's
    "ravi-ucb-mixture": {
        "mixture-zero-prior": ("uniform-actions",),  # where pi_0 excludes an action; else it takes many runs
        "mixture-path": ("unit-ridge", "unit-ridge-width"),  # where lambda is not 1
        "mixture-weak-ridge": ("loose-inverse",),
        "mixture-myopic": ("first-policy",),  # where policies change most
    },
    "ravi-ucb-tabular": {
        "mixture-one-epoch": ("resets-with-gamma",),  # where gamma is not 1/2
        "mixture-myopic": ("first-policy",),
        "mixture-zero-prior": ("uniform-actions",),
    },
    "rlsvi": {"random": ("looks-ahead",)},  # where the other draws of a fork change an action
    "mvp": {
        "coins": ("rewards-of-all",),  # where rewards are random
        "much-data": ("half-counts",),
        "one-state": ("plans-always", "updates-always"),  # where counts are large, and powers of two few
    },
    "rf-ucrl": {
        "stops-soon": ("never-stops", "stale-output", "stops-after-one", "stops-at-epsilon", "stops-late"),
        "stops-never": ("one-step", "stops-at-once"),  # where H and A differ, and where nothing is known without data
        "stops": ("last-step", "mean-error"),  # where actions and steps differ
    },
    "bpi-ucrl": {
        "stops": (
            *("never-stops", "stale-output", "stops-after-one", "stops-late", "half-epsilon", "twice-epsilon", "stale-gap"),
            *("last-step", "other-state"),
        ),
        "stops-never": ("one-step", "stops-at-once"),  # where H and A differ, and where nothing is known without data
        "random": ("looks-ahead",),  # where the other draws of a fork change an action
        "stops-by-step": ("best-lower",),
    },
    "ucb-bernstein": {"anywhere": ("fixed-rate", "mean-of-actions")},
    "ucblvd": {
        "later-representatives": ("first-contexts",),
        "nearly-parallel": ("loose-inverse",),
        "strong-ridge": ("unit-ridge-width",),
        "tilted": ("first-solve", "no-norm-check"),
        "weak-ridge": ("usual-delta",),
    },
    "ucblvd-modified": {
        "later-representatives": ("first-contexts",),
        "rotation": ("no-projection",),
        "signed-contexts": ("signed-l",),
        "tilted": ("first-solve", "no-norm-check"),
        "weak-ridge": ("usual-delta",),
    },
    "ucblvd-unknown-rewards": {
        "strong-ridge": ("previous-policy", "unit-ridge-width"),
        "weak-ridge": ("usual-delta",),
    },
}  # fmt: skip
"""Of each algorithm, the instances that show what the usual one does not, or show it in less time."""
