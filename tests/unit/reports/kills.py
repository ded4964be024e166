"""A record of `verifier power`: bugs that were found early and late, one that survived, one equivalent, one in error."""

from __future__ import annotations

from typing import Any

from verifier.record import ClaimPowerEntry, KillEntry, Ledger, MutantEntry, PowerEntry, Record

from .sample import algorithm, record


def kill(mutant: str, name: str, trials: int) -> KillEntry:
    return KillEntry(name, "oracle", "onehot", trials, 3.1, f"ucblvd~{mutant}/{name}:onehot:oracle:{trials - 1}:0")


def mutant(name: str, outcome: str, *kills: tuple[str, int], **changes: Any) -> MutantEntry:
    told: dict[str, Any] = {"reason": "", "expected": ("optimism",), "missed": (), "trials": 8}
    found = tuple(kill(name, claim, trials) for claim, trials in kills)
    return MutantEntry(name, f"what {name} does", outcome, kills=found, **(told | changes))


MUTANTS = (
    mutant("half-bonus", "killed", ("optimism", 1), ("bonus-validity", 3)),
    mutant("late", "killed", ("optimism", 27), missed=("regret",)),
    mutant("very-late", "killed", ("confidence-event", 240)),
    mutant("shy", "survived", missed=("optimism",), trials=32),
    mutant("same", "equivalent", reason="the bound is attained by neither"),
    mutant("crash", "error", reason="the trial crashed: ZeroDivisionError"),
)


def power_record() -> Record:
    power = PowerEntry(MUTANTS, ("regret", "width"))
    made = algorithm([], power=power, ledger=Ledger(1e-3, 0.0, 0.01, ()))
    return record(made, command=("verifier", "power", "ucblvd"))


BY_CLAIM = (
    ClaimPowerEntry("stability-sharp"),
    ClaimPowerEntry("optimism-identity", unbreakable="it is the flow equation of the optimal occupancy, true of any values"),
    ClaimPowerEntry("regret", vacuous=True),
    ClaimPowerEntry("optimism", "half-bonus", False, kill("half-bonus", "optimism", 1)),
    ClaimPowerEntry("confidence-event", "garbage-zero", True, kill("garbage-zero", "confidence-event", 240)),
)


def by_claim_record(*claims: ClaimPowerEntry) -> Record:
    power = PowerEntry(MUTANTS[:1], ("stability-sharp",), claims or BY_CLAIM)
    made = algorithm([], power=power, ledger=Ledger(1e-3, 0.0, 0.01, ()))
    return record(made, command=("verifier", "power", "ucblvd", "--by-claim"))
