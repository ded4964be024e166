"""Limit of the system on the memory of this process."""

from __future__ import annotations

MB = 2**20


def system_limit() -> int | None:
    """The limit of the system (``ulimit -v`` or ``-d``) in MB (2**20 bytes), where it is what a process meets first.

    Returns
    -------
    int or None
        None where there is no such limit, or the process has one of its own that is lower, as workers have by ``--memory``.
    """
    try:
        import resource
    except ImportError:  # no such system
        return None
    own, hard = resource.getrlimit(resource.RLIMIT_DATA)
    outer = [limit for limit in (resource.getrlimit(resource.RLIMIT_AS)[0], hard) if limit != resource.RLIM_INFINITY]
    if not outer or (own != resource.RLIM_INFINITY and own < min(outer)):
        return None
    return int(min(outer)) // MB
