"""A bug of the unseen set, as data: what is wrong, in words, and where a diagnosis should point."""

from __future__ import annotations

from dataclasses import dataclass

from verifier import Algorithm


@dataclass(frozen=True)
class Unseen:
    """A wrong variant of an algorithm, written without sight of the diagnosis that it measures.

    Attributes
    ----------
    name : str
        In lower case, unique among the bugs of the algorithm.
    algorithm : type
        A subclass of the algorithm, under the guarantees of which it is run.
    lines : tuple of str
        Claims that state the line which is wrong. Any of them is right as the first broken line.
    quantity : str
        What is wrong, in the symbols of the paper: ``"N"``, ``"bonus"``, ``"policy played"``.
    truth : str
        What is wrong, in one sentence; a person compares it with the sentence of the diagnosis.
    instance, regime : str
        Where the bug is seen soonest, of the instances whose sizes tell it from others: where d = H, ``d left out`` and ``H left
        out`` are one bug.
    trials : int
        How many trials that takes at most.
    factor : bool
        Whether all that is wrong is a factor which is the same in all comparisons of a run.
    """

    name: str
    algorithm: type[Algorithm]
    lines: tuple[str, ...]
    quantity: str
    truth: str
    instance: str
    regime: str = "published"
    trials: int = 1
    factor: bool = False

    @property
    def id(self) -> str:
        """The name with that of the algorithm, as planted bugs are called."""
        return f"{self.algorithm.name}~{self.name}"
