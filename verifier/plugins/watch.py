"""Things a plugin shares with the harness and must leave alone: the global generators, and the modules of numpy.

Nothing here stops a plugin that hides what it does. It finds what people do in good faith: seeding, drawing from
`numpy.random`, or replacing a function for a test.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

_MODULES = (np, np.random, np.linalg, random, math)
_ORIGINAL = {module: {name: value for name, value in vars(module).items() if not name.startswith("_")} for module in _MODULES}
"""What is public in them: private names change by themselves (`random` imports a hash function when it is first seeded)."""


def tampered() -> str:
    """Put back what was replaced in the modules watched; says what it was, or nothing."""
    found = []
    for module, original in _ORIGINAL.items():
        now = vars(module)
        for name, value in original.items():
            if now.get(name) is not value:
                found.append(f"{module.__name__}.{name}")
                setattr(module, name, value)
    if not found:
        return ""
    names = ", ".join(found[:5]) + (", ..." if len(found) > 5 else "")
    return f"the plugin replaced {names}; the harness and other plugins use it too; give your version a name of its own"


@contextmanager
def watched_rng(salt: str) -> Iterator[Callable[[], bool]]:
    """Tells whether the global generators were used inside; they have their old state back afterwards.

    They start from a state of the trial's own: a plugin that seeds them itself would otherwise end its second trial in
    the state in which it began, and be found out or not depending on which worker ran what before.

    Parameters
    ----------
    salt : str
        Names that state.
    """
    before = random.getstate(), np.random.get_state()  # noqa: NPY002  # looking at the global generator is the point
    random.seed(salt)
    np.random.seed(random.getrandbits(32))  # noqa: NPY002  # a state of the trial's own
    started = _state()
    try:
        yield lambda: _state() != started
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])  # noqa: NPY002  # as it was found


GLOBAL_RNG = "the plugin used a global random generator (numpy.random or random); draw from env.rng instead"


def _state() -> tuple[Any, ...]:
    name, keys, *rest = np.random.get_state(legacy=True)  # noqa: NPY002  # to tell whether it was used
    return (random.getstate(), name, np.asarray(keys).tobytes(), *rest)
