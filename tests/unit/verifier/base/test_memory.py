"""What a process may have of the machine's memory, and what a trial that needs more is told."""

from __future__ import annotations

import pytest

from verifier.base.memory import MB, system_limit
from verifier.plugins.failure import failure_of

resource = pytest.importorskip("resource", reason="no such limits on this system")
NONE = resource.RLIM_INFINITY
OWN = "needed more memory than a trial may have; raise it with --memory, or make the plugin allocate less"
THE_SYSTEMS = (
    "needed more memory than the 800 MB that the system lets a process have (`ulimit -v` or `ulimit -d`), less than --memory; "
)


@pytest.mark.parametrize(
    ("address_space", "data", "found"),
    [
        (NONE, (1024 * MB, NONE), None),
        (800 * MB, (1024 * MB, NONE), 800),
        (NONE, (800 * MB, 800 * MB), 800),
        (2048 * MB, (1024 * MB, NONE), None),
        (800 * MB, (NONE, NONE), 800),
    ],
)
def test_the_limit_that_a_process_meets_first(
    address_space: int, data: tuple[int, int], found: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Own limits, as workers have by ``--memory``, are soft; where the system's is lower, they are equal to it."""
    limits = {resource.RLIMIT_AS: (address_space, address_space), resource.RLIMIT_DATA: data}
    monkeypatch.setattr(resource, "getrlimit", limits.__getitem__)
    assert system_limit() == found
    try:
        raise MemoryError
    except MemoryError as error:
        told = failure_of(error).message
    assert told == OWN if found is None else told.startswith(THE_SYSTEMS)
