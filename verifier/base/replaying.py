"""The command that runs a measurement again."""

from __future__ import annotations

import shlex

AS = " --as "


def command(trial: str, project: str = "", record: str = "") -> str:
    """The command that reruns the trial with this id, quoted for a shell; empty where there is none.

    Parameters
    ----------
    trial : str
    project : str
        The folder of its plugin's project, if that is not installed; or the file of an agent, with the options that say what it
        is held against.
    record : str
        The file of the record, where that is needed and there is one.
    """
    return " ".join((beginning(project), *map(shlex.quote, filter(None, (record, trial))))) if trial else ""


def beginning(project: str = "") -> str:
    """Replay command up to the id."""
    if not project:
        return "verifier replay"
    # of an agent held against an algorithm it is more than one word: thesis.py:Agent --as ucbvi-ch --read Q=Q
    return f"verifier replay --project {project if AS in project else shlex.quote(project)}"
