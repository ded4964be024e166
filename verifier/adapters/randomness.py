"""A generator of the run's own for libraries that draw from a global one.

A trial in which a global generator is used is an error: it could not be repeated, and what one trial draws another one would
miss. Code that says ``np.random.rand()`` or ``random.choice(...)`` all over need not be changed for that: in the modules of a
library, and for the time of a run, `drawing_from` replaces numpy, its `random` and Python's by stand-ins that draw from the
generator of the run.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy as np

from verifier.base.errors import ContractError

_SEED = 2**63


class _Random(ModuleType):
    """Stands for `numpy.random`: what is drawn without a generator, and generators made without a seed, come from a given one."""

    def __init__(self, rng: np.random.Generator) -> None:
        super().__init__("numpy.random")
        state = np.random.RandomState(rng.bit_generator)  # what the global functions are methods of

        class RandomState(np.random.RandomState):  # the library makes them, and asks for instances
            def __init__(self, seed: Any = None) -> None:
                super().__init__(int(rng.integers(2**32)) if seed is None else seed)

        self.sample = self.ranf = state.random_sample
        self.RandomState = RandomState
        self._rng, self._state = rng, state

    def __getattr__(self, name: str) -> Any:
        source = self._state if name in _DRAWING else np.random
        return getattr(source, name)

    def seed(self, seed: Any = None) -> None:
        """Ignore the call: the seed is the trial's."""

    def default_rng(self, seed: Any = None) -> np.random.Generator:
        """A generator; without a seed it is made from the one of the run."""
        return np.random.default_rng(int(self._rng.integers(_SEED)) if seed is None else seed)


_GLOBAL = np.random.rand.__self__  # type: ignore[attr-defined]  # numpy's stubs call it a function
_DRAWING = frozenset(name for name in dir(np.random) if getattr(getattr(np.random, name), "__self__", None) is _GLOBAL)
_NUMPY = _DRAWING | {"seed", "sample", "ranf", "default_rng", "RandomState"}
"""Names of `numpy.random` that depend on the global generator, or on the system where no seed is given."""


class _Numpy(ModuleType):
    """Stands for `numpy`, with another `random`."""

    def __init__(self, stand_in: _Random) -> None:
        super().__init__("numpy")
        self.random = stand_in

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


class _Python(ModuleType):
    """Stands for `random` of Python."""

    def __init__(self, rng: np.random.Generator) -> None:
        super().__init__("random")
        self._own = random.Random(int(rng.integers(_SEED)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own if name in _PYTHON else random, name)

    def seed(self, *seed: Any) -> None:
        """Ignore the call: the seed is the trial's."""


_INSTANCE = random.random.__self__  # type: ignore[attr-defined]  # typeshed calls it a function
_PYTHON = frozenset(name for name in random.__all__ if getattr(getattr(random, name), "__self__", None) is _INSTANCE)


@contextmanager
def drawing_from(rng: np.random.Generator, *packages: str) -> Iterator[None]:
    """Inside, the modules of these packages draw from a generator what they would draw from numpy's or Python's global one.

    What they have imported is replaced, under whatever name: ``import numpy as np``, ``from numpy import random``, ``from
    numpy.random import rand``, ``import random``, ``from random import choice``. Seeding does nothing, since the seed is that of
    the trial; a generator with a seed of its own is left alone, and one without gets a seed from `rng`. What is imported inside
    functions, or kept in classes and defaults, is not replaced; that the global generator was used is then found as it always is.

    Parameters
    ----------
    rng : numpy.random.Generator
        That of the run: ``env.rng``.
    *packages : str
        Names of packages or modules, imported before.

    Raises
    ------
    ContractError
        If one of them has not been imported.

    Examples
    --------
    >>> import types, sys
    >>> library = types.ModuleType("library")
    >>> exec("import numpy as np\\ndef roll(): return int(np.random.randint(6))", library.__dict__)
    >>> sys.modules["library"] = library
    >>> def rolls(seed):
    ...     with drawing_from(np.random.default_rng(seed), "library"):
    ...         return [library.roll() for _ in range(20)]
    >>> rolls(1) == rolls(1) != rolls(2)
    True
    """
    numpys = _Random(rng)
    pythons = _Python(rng)
    stand_ins = {id(np): _Numpy(numpys), id(np.random): numpys, id(random): pythons}
    stand_ins |= {id(getattr(np.random, name)): getattr(numpys, name) for name in _NUMPY}
    stand_ins |= {id(getattr(random, name)): getattr(pythons, name) for name in _PYTHON}
    modules = [module for package in packages for module in _modules(package)]
    before = [(vars(module), name, value) for module in modules for name, value in vars(module).items() if id(value) in stand_ins]
    for names, name, value in before:
        names[name] = stand_ins[id(value)]
    try:
        yield
    finally:
        for names, name, value in before:
            names[name] = value


def _modules(package: str) -> list[ModuleType]:
    found = [module for name, module in list(sys.modules.items()) if module and f"{name}.".startswith(f"{package}.")]
    if not found:
        raise ContractError(f"no module of {package!r} has been imported, so none can be given a generator; import it before")
    return found
