"""The command that runs a measurement again."""

from __future__ import annotations

import shlex


def command(trial: str, project: str = "", record: str = "") -> str:
    """The command that reruns the trial with this id, quoted for a shell; empty where there is none.

    Parameters
    ----------
    trial : str
    project : str
        The folder of its plugin's project, if that is not installed.
    record : str
        The file of the record, where that is needed and there is one.
    """
    return " ".join((beginning(project), *map(shlex.quote, filter(None, (record, trial))))) if trial else ""


def beginning(project: str = "") -> str:
    """Replay command up to the id."""
    return f"verifier replay --project {shlex.quote(project)}" if project else "verifier replay"
