"""The global random generators, which a plugin must leave alone.

Nothing here stops a plugin that hides what it does. It finds what people do in good faith: seeding, or drawing from
`numpy.random`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np


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
    random.seed(salt.encode(errors="surrogatepass"))
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
