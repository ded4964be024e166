"""The replaceable confidence width every algorithm asks for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.base.arrays import Array, frozen
from verifier.base.errors import ContractError

NOTHING = np.zeros(0)

Radius = Callable[[str, int, Array], float]
Error = Callable[[str, int, Array], Array]
Watch = Callable[[str, int, Array], None]
Note = Callable[[str, int, Array, float], None]


class Width:
    """The confidence width of a run; the harness makes it, the algorithm calls it.

    The algorithm calls ``width(step, target)`` each time its pseudo-code says beta, and uses what it gets. The harness
    keeps the log of the calls: claims read the width from there, never from the algorithm.

    Parameters
    ----------
    radius : callable
        Maps (quantity, step, target) to the width.
    error : callable, optional
        Maps (quantity, step, target) to the realised estimation error; only the oracle has it.
    watch : callable, optional
        Told (quantity, step, target) of every call of either, before it is answered.
    note : callable, optional
        Told (quantity, step, target, width) of every width, when it is handed out.

    Attributes
    ----------
    asked : bool
        Whether it was asked for at all, or the realised error was.
    targeted : bool
        Whether it was asked for with a target.

    Examples
    --------
    >>> from verifier import Width
    >>> width = Width(lambda quantity, step, target: 2.0 + step)
    >>> width(0), width(1)
    (2.0, 3.0)
    """

    def __init__(self, radius: Radius, error: Error | None = None, watch: Watch | None = None, note: Note | None = None) -> None:
        self._radius = radius
        self._error = error
        self._watch: Watch = watch or (lambda of, step, target: None)
        self._note: Note = note or (lambda of, step, target, width: None)
        self._log: dict[tuple[str, int], tuple[float, Array]] = {}
        self.asked, self.targeted = False, False

    def __call__(self, step: int, target: Array = NOTHING, of: str = "transition") -> float:
        """The width at one step.

        Parameters
        ----------
        step : int
            Step h counted from 0.
        target : array
            What is being estimated; for least squares on values, the next step's value function. Nothing where the
            quantity does not depend on it.
        of : str
            Which of the algorithm's widths, if it has several.

        Returns
        -------
        float
            Not negative.
        """
        asked = self._asked(of, step, target)
        value = self._radius(of, step, asked)
        self._log[of, step] = (value, asked)
        self._note(of, step, asked, value)
        return value

    def largest(self, targets: Array, of: str = "transition", least: float = 0.0) -> float:
        """The largest width of the steps of a plan, or `least` if that is larger, which is handed out at each of them.

        It is for formulas with one width for all steps.

        Parameters
        ----------
        targets : (H, ...) array
            What is being estimated at each step.
        of : str
            Which of the algorithm's widths, if it has several.
        least : float
            What the plan has been made with already.

        Examples
        --------
        >>> import numpy as np
        >>> from verifier import Width
        >>> width = Width(lambda quantity, step, target: 2.0 + step)
        >>> width.largest(np.zeros((3, 1)))
        4.0
        """
        largest = max(least, *(self(step, target, of) for step, target in enumerate(targets)))
        for step in range(len(targets)):
            self._log[of, step] = (largest, self._log[of, step][1])
            self._note(of, step, self._log[of, step][1], largest)
        return largest

    def error(self, step: int, target: Array = NOTHING, of: str = "transition") -> Array:
        """The realised estimation error (estimate minus truth) of one step, in the oracle regime.

        It exists for adversarial choices among several legal ones, such as the worst minimiser of a program.

        Raises
        ------
        ContractError
            Outside the oracle regime.
        """
        if self._error is None:
            raise ContractError("the realised error is known in the oracle regime only; run with --regime oracle")
        return self._error(of, step, self._asked(of, step, target))

    def _asked(self, of: str, step: int, target: Array) -> Array:
        """The target of a question, which is noted."""
        asked = frozen(target)
        self.asked, self.targeted = True, self.targeted or bool(asked.size)
        self._watch(of, step, asked)
        return asked

    def take(self) -> dict[tuple[str, int], tuple[float, Array]]:
        """Questions and answers since the last call of this method, by (quantity, step)."""
        log, self._log = self._log, {}
        return log
