"""Growth of planning calls of Modified UCBlvd (Theorem 4, Figure 1b)."""

from __future__ import annotations

from verifier_ucblvd.shared.scaling import figure_scaling, logarithm, planning_scaling

SCALING = (
    *planning_scaling("Theorem 4", lambda public: (public.d,), "rotation-5", "dH log(1 + K/(dλ))"),
    *figure_scaling("1b", 20, calls=logarithm(lambda public: public.d), family="rotation-5", clause="C35"),
)
