"""What is declared of the five algorithms of the paper."""

from __future__ import annotations

from verifier import Guarantees
from verifier_ucblvd import scaling_claims
from verifier_ucblvd.claims import lifelong_lsvi_claims, ucblvd_claims
from verifier_ucblvd.clauses import CLAUSES
from verifier_ucblvd.errata import ERRATA
from verifier_ucblvd.lifelong_lsvi import LifelongLSVI
from verifier_ucblvd.modified import ModifiedUCBlvd
from verifier_ucblvd.mutants import lifelong_lsvi, modified, sharing, ucblvd, unknown_rewards
from verifier_ucblvd.sharing import LifelongLSVISharing
from verifier_ucblvd.ucblvd import UCBlvd
from verifier_ucblvd.unknown_rewards import UCBlvdUnknownRewards
from verifier_ucblvd.variant_claims import modified_claims, sharing_claims, unknown_rewards_claims

GUARANTEES = (
    Guarantees(
        LifelongLSVI,
        claims=lifelong_lsvi_claims(),
        clauses=CLAUSES["lifelong-lsvi"],
        scaling=scaling_claims.LIFELONG_LSVI,
        mutants=lifelong_lsvi.MUTANTS,
        errata=ERRATA,
    ),
    Guarantees(
        UCBlvd,
        claims=ucblvd_claims(),
        clauses=CLAUSES["ucblvd"],
        scaling=scaling_claims.UCBLVD,
        mutants=ucblvd.MUTANTS,
        errata=ERRATA,
    ),
    Guarantees(
        UCBlvdUnknownRewards,
        claims=unknown_rewards_claims(),
        clauses=CLAUSES["ucblvd-unknown-rewards"],
        scaling=scaling_claims.UNKNOWN_REWARDS,
        mutants=unknown_rewards.MUTANTS,
        errata=ERRATA,
    ),
    Guarantees(
        ModifiedUCBlvd,
        claims=modified_claims(),
        clauses=CLAUSES["ucblvd-modified"],
        scaling=scaling_claims.MODIFIED,
        mutants=modified.MUTANTS,
        errata=ERRATA,
    ),
    Guarantees(
        LifelongLSVISharing,
        claims=sharing_claims(),
        clauses=CLAUSES["lifelong-lsvi-sharing"],
        scaling=scaling_claims.SHARING,
        mutants=sharing.MUTANTS,
        errata=ERRATA,
    ),
)
