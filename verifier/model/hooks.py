"""The marker of a plugin's hooks; their specifications are in `verifier.plugins.hookspecs`."""

from __future__ import annotations

import pluggy

PROJECT = "verifier"
hookimpl = pluggy.HookimplMarker(PROJECT)
