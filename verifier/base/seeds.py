"""Random streams: one master seed, independent streams for everything that draws.

A stream is named by words and numbers (``"environment", "onehot", "oracle", 3``). The words are hashed into the spawn key of
a `numpy.random.SeedSequence`, so a stream does not depend on which others exist or in which order they are made.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

import numpy as np


def stream(seed: int, *key: str | int) -> np.random.Generator:
    """The generator named by `key` under the master seed `seed`.

    Parameters
    ----------
    seed : int
        Master seed, not negative.
    *key : str or int
        The name of the stream.

    Returns
    -------
    numpy.random.Generator
    """
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=tuple(map(_word, key)))))


def spare_seed(generator: np.random.Generator) -> int:
    """Seed of a further stream that belongs to a generator's, whatever has been drawn of it, and is independent of it."""
    known = generator.bit_generator.seed_seq
    assert isinstance(known, np.random.SeedSequence)
    further = np.random.SeedSequence(known.entropy, spawn_key=(*known.spawn_key, _word("spare")))
    return int(further.generate_state(1, np.uint64)[0])


@lru_cache(maxsize=1024)  # the same few words name the streams of every trial
def _word(part: str | int) -> int:
    if isinstance(part, int):
        return part
    return int.from_bytes(hashlib.sha256(part.encode(errors="surrogatepass")).digest()[:4], "big")
