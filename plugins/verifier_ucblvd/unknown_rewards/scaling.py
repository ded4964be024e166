"""Growth of planning calls of UCBlvd with unknown rewards (Theorem 3)."""

from __future__ import annotations

from verifier_ucblvd.shared.scaling import planning_scaling

SCALING = planning_scaling(
    "Theorem 3", lambda public: (public.d, public.dp), "paper-size", "dH log(1 + K/(dλ)) + mdH log(1 + K/(mdλ))"
)
