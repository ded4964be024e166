"""A record with measured growths, as `verifier scale` writes them: one that conforms, one violated, one nobody can tell."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .entries import claim, entry
from .sample import algorithm as made
from .sample import record

Data = dict[str, Any]

SIZES = (100, 200, 400, 800, 1600, 3200)
SEEDS = 8


def growth(exponent: float, start: float, claimed: Data, interval: tuple[float, float], **changes: Any) -> Data:
    """Points around ``start (K / 100)^exponent`` with seeds that differ by a tenth; burn-in below 200; one held-out size."""
    draws = np.random.default_rng(7)

    def curve(size: float) -> float:
        return start * (size / 100) ** exponent

    points = [
        {"size": size, "seed": seed, "value": float(curve(size) * math.exp(0.1 * draws.standard_normal()))}
        for size in SIZES
        for seed in range(SEEDS)
    ]
    fit = [{"size": size, "value": curve(size), "low": 0.92 * curve(size), "high": 1.08 * curve(size)} for size in SIZES[1:]]
    told: Data = {
        "quantity": "regret",
        "quantity_unit": "reward",
        "size": "K",
        "size_unit": "episodes",
        "points": points,
        "burn_in": 200,
        "burn_in_reason": "every state-action pair has been visited from there on",
        "claimed": claimed,
        "models": [
            {
                "name": "power",
                "formula": "a K^b",
                "parameters": {"a": start, "b": exponent},
                "score": 0.011,
                "chosen": True,
                "compatible": True,
            },
            {
                "name": "logarithm",
                "formula": "a + b log K",
                "parameters": {"a": -9.0, "b": 7.1},
                "score": 0.35,
                "chosen": False,
                "compatible": False,
            },
        ],
        "exponent": exponent,
        "interval": list(interval),
        "confidence": 0.95,
        "claimed_exponent": 0.5,
        "margin": 0.05,
        "figure": "",
        "remark": "",
        "fit": fit,
        "held_out": [
            {
                "size": 6400,
                "value": 1.05 * curve(6400),
                "predicted": curve(6400),
                "low": 0.85 * curve(6400),
                "high": 1.2 * curve(6400),
            }
        ],
        "bound": [{"size": size, "value": 40 * start * math.sqrt(size)} for size in SIZES],
        "trivial": [{"size": size, "value": 1.0 * size} for size in SIZES],
        "nonvacuous_from": 44608,
        "overlay": [],
        "power": {"alternative": "greedy", "verdict": "violated", "note": "linear regret on the lock"},
    }
    return told | changes


ROOT = {"label": "sqrt(K)", "exponent": 0.5, "log_power": 0.0}
LOGARITHM = {"label": "log K", "exponent": 0.0, "log_power": 1.0}

GROWTHS = (
    ("regret-growth", "conforms", "lock", growth(0.48, 9.0, ROOT, (0.43, 0.53)), ""),
    (
        "planning-growth",
        "conforms",
        "onehot",
        growth(
            0.11,
            14.0,
            LOGARITHM,
            (0.08, 0.14),
            quantity="planning calls",
            quantity_unit="",
            bound=[{"size": size, "value": 25 * math.log(1 + size / 5)} for size in SIZES],
            overlay=[{"label": "paper, Figure 1a", "size": 1000, "value": 20.0}],
            burn_in=None,
            burn_in_reason="",
            held_out=[],
            nonvacuous_from=None,
        ),
        "",
    ),
    (
        "greedy-regret",
        "violated",
        "lock",
        growth(0.98, 12.0, ROOT, (0.94, 1.02), bound=[{"size": size, "value": 1e9} for size in SIZES]),
        "even the lower end of the interval is above the claimed exponent",
    ),
    (
        "easy-regret",
        "inconclusive",
        "corridor",
        growth(
            0.5,
            3.0,
            ROOT,
            (0.2, 0.8),
            bound=[],
            trivial=[],
            fit=[],
            power={"alternative": "greedy", "verdict": "conforms", "note": ""},
        ),
        "the interval contains both answers",
    ),
)


def growth_record() -> Data:
    """The JSON form of a record with a scaling claim per element of `GROWTHS`."""
    claims = [
        claim(name, "Theorem 2", "Theorem 2: growth", "R_K grows no faster than K^{1/2}", "scaling",
              entry(name, f"published@{instance}", verdict, found["exponent"], 0.5, reason=reason, witness={},
                    interval=tuple(found["interval"])))
        for name, verdict, instance, found, reason in GROWTHS
    ]  # fmt: skip
    data = record(made(claims), command=("verifier", "scale", "ucblvd")).to_json()
    return with_growths(data)


def with_growths(data: Data) -> Data:
    """Every entry gets a `scaling` field: the object for the claims of `GROWTHS`, null for all others."""
    objects = {name: found for name, _, _, found, _ in GROWTHS}
    for algorithm in data["algorithms"]:
        for one in algorithm["claims"]:
            for found in one["regimes"]:
                found["scaling"] = objects.get(one["id"].partition("/")[2])
    return data
