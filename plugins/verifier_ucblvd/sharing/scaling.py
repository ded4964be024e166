"""Growth of planning calls of Lifelong-LSVI with computation sharing (Theorem 5)."""

from __future__ import annotations

from verifier_ucblvd.shared.scaling import planning_scaling

SCALING = planning_scaling("Theorem 5", lambda public: (public.dp,), "paper-size", "d′H log(1 + K/(d′λ))")
