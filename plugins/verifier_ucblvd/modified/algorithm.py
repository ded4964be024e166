"""Modified UCBlvd (Algorithm 4, Remark 2): psi without Kronecker structure."""

from __future__ import annotations

from typing import ClassVar

from verifier.model.width import Width
from verifier_settings.lifelong import Public
from verifier_ucblvd import widths
from verifier_ucblvd.distillation import SpanDistillation
from verifier_ucblvd.ucblvd.algorithm import UCBlvd


class ModifiedUCBlvd(UCBlvd):
    """Algorithm 4: Algorithm 2 with the program (39) in place of (8).

    Parameters
    ----------
    public : Public
    width : Width
    """

    name: ClassVar[str] = "ucblvd-modified"
    title: ClassVar[str] = "Modified UCBlvd (Algorithm 4)"
    regimes = ("published", "scaled(0.03)", "oracle")
    instances = ("*",)

    def __init__(self, public: Public, width: Width) -> None:
        super().__init__(public, width)
        self.distillation = SpanDistillation(public)

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """Theorem 4: beta = c H (d + sqrt(d')) sqrt(log(d d' T / delta))."""
        return widths.beta(public, public.d * public.dp)
