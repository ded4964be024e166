"""A record of quantities that scale, as `verifier scale` writes it: some as claimed, one faster, one nobody can tell."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from verifier.record import ClaimEntry, Record, Scaling
from verifier.record.scaling import (
    FittedPoint,
    HeldOut,
    ScalingModel,
    ScalingPoint,
    ScalingPower,
    ScalingRate,
    SizedValue,
    Stated,
)

from .entries import claim, entry
from .sample import algorithm, record

SIZES = (100, 200, 400, 800, 1600, 3200)
SEEDS = 8


def linear(start: float) -> tuple[ScalingPoint, ...]:
    """Trials of a wrong algorithm, whose regret grows with the size."""
    return tuple(ScalingPoint(size, seed, start * size / 100) for size in SIZES[1:4] for seed in range(2))


def scaling(exponent: float, start: float, claimed: ScalingRate, interval: tuple[float, float], **changes: Any) -> Scaling:
    """Points around ``start (K / 100)^exponent`` with seeds that differ by a tenth; burn-in below 200; one held-out size."""
    draws = np.random.default_rng(7)

    def curve(size: float) -> float:
        return start * (size / 100) ** exponent

    told: dict[str, Any] = {
        "quantity": "regret",
        "quantity_unit": "reward",
        "size": "K",
        "size_unit": "episodes",
        "points": tuple(
            ScalingPoint(size, seed, float(curve(size) * math.exp(0.1 * draws.standard_normal())))
            for size in SIZES
            for seed in range(SEEDS)
        ),
        "burn_in": 200,
        "burn_in_reason": "every state-action pair has been visited from there on",
        "models": (
            ScalingModel("power", "a K^b", {"a": start, "b": exponent}, 0.011, chosen=True, compatible=True),
            ScalingModel("logarithm", "a + b log K", {"a": -9.0, "b": 7.1}, 0.35, chosen=False, compatible=False),
        ),
        "confidence": 0.95,
        "claimed_exponent": 0.5,
        "margin": 0.05,
        "figure": "",
        "remark": "",
        "fit": tuple(FittedPoint(size, curve(size), 0.92 * curve(size), 1.08 * curve(size)) for size in SIZES[1:]),
        "held_out": (HeldOut(6400, 1.05 * curve(6400), curve(6400), 0.85 * curve(6400), 1.2 * curve(6400)),),
        "bound": tuple(SizedValue(size, 40 * start * math.sqrt(size)) for size in SIZES),
        "trivial": tuple(SizedValue(size, 1.0 * size) for size in SIZES),
        "nonvacuous_from": 44608,
        "overlay": (),
        "power": ScalingPower("greedy", "violated", "linear regret on the lock", linear(1.5 * start)),
    }
    told |= {"claimed": claimed, "exponent": exponent, "interval": interval}
    return Scaling(**(told | changes))


ROOT = ScalingRate("sqrt(K)", 0.5, 0.0)
LOGARITHM = ScalingRate("log K", 0.0, 1.0)


def planning_calls() -> Scaling:
    return scaling(
        0.11,
        14.0,
        LOGARITHM,
        (0.08, 0.14),
        quantity="planning calls",
        quantity_unit="",
        bound=tuple(SizedValue(size, 25 * math.log(1 + size / 5)) for size in SIZES),
        overlay=(Stated("paper, Figure 1a", 1000, 20.0),),
        burn_in=None,
        burn_in_reason="",
        held_out=(),
        nonvacuous_from=None,
    )


def scaling_claim(name: str, verdict: str, instance: str, found: Scaling, reason: str = "") -> ClaimEntry:
    there = entry(name, f"published@{instance}", verdict, found.exponent or 0.0, 0.5, reason=reason, witness={},
                  interval=found.interval, scaling=found)  # fmt: skip
    return claim(name, "Theorem 2", "Theorem 2: growth", "R_K grows no faster than K^{1/2}", "scaling", there)


def scaling_claims() -> list[ClaimEntry]:
    greedy = scaling(0.98, 12.0, ROOT, (0.94, 1.02), bound=tuple(SizedValue(size, 1e9) for size in SIZES))
    missed = ScalingPower("greedy", "conforms", "")
    easy = scaling(0.5, 3.0, ROOT, (0.2, 0.8), bound=(), trivial=(), fit=(), power=missed)
    above = "even the lower end of the interval is above the claimed exponent"
    return [
        scaling_claim("regret-growth", "conforms", "lock", scaling(0.48, 9.0, ROOT, (0.43, 0.53))),
        scaling_claim("planning-growth", "conforms", "onehot", planning_calls()),
        scaling_claim("greedy-regret", "violated", "lock", greedy, above),
        scaling_claim("easy-regret", "inconclusive", "corridor", easy, "the interval contains both answers"),
    ]


def scaling_record() -> Record:
    return record(algorithm(scaling_claims()), command=("verifier", "scale", "ucblvd"))
