"""A setting in which a run is four independent uniform draws, and algorithms in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from verifier import Algorithm
from verifier.model.setting import Scenario, Seeds, Session, Setting

Draws = tuple[float, float, float, float]


class FourDraws(Session[Any]):
    """A run is its four draws, which the algorithm may see."""

    def __init__(self, seeds: Seeds) -> None:
        u, v, w, x = seeds.environment.random(4).tolist()
        self.environment = self._draws = (u, v, w, x)

    def oracle(self, of: str, step: int, subject: Any) -> float:
        return 0.0

    def realised_error(self, of: str, step: int, subject: Any) -> Any:
        return subject

    def observe(self, plan: Any, widths: Any) -> None:
        return None

    def finish(self) -> tuple[None, Draws]:
        return None, self._draws

    def digest(self) -> str:
        return repr(self._draws)


class Drawn(str):
    """An instance, of which all is public: claims may fail with probability 0.1."""

    delta = 0.1


class Drawing(Setting[str, Any]):
    """A setting in which all is public."""

    def public(self, instance: str, hidden: frozenset[str] = frozenset()) -> str:
        return instance


SETTING = Drawing(
    name="draws",
    description="for tests",
    catalogue=(Scenario("here", "four draws", lambda rng: Drawn("draws")),),
    session=lambda instance, seeds, yields: FourDraws(seeds),
    parameters=lambda instance: {},
)


class Honest(Algorithm):
    """An algorithm that does nothing; what is claimed of it is about the draws."""

    name = "honest"
    title = "Planted truths"
    paper = "none"
    setting = "draws"
    regimes = ("published",)

    @classmethod
    def published_width(cls, public: Any, of: str) -> float:
        return 1.0

    def run(self, env: Any) -> Iterator[Any]:
        yield from ()


class Calibrated(Honest):
    """An algorithm with a width that was read off other runs."""

    name = "calibrated"
    regimes = ("calibrated",)


class Escaping(Honest):
    """An algorithm that ends a run in which its claim would fail, before anybody can see the failure."""

    name = "escaping"

    def run(self, env: Draws) -> Iterator[Any]:
        """Fail in three of ten runs; what stands for a hang is told by `tests.truths.runs`."""
        if env[0] < 0.3:
            raise TimeoutError("it would fail now")
        yield from ()
