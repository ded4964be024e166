"""Environments for code that drives one itself: see `verifier.model.loops`."""

from verifier.model.loops import LoopEnvironment
from verifier.model.outline import in_library
from verifier.model.style import GYMNASIUM, Style

__all__ = ["GYMNASIUM", "LoopEnvironment", "Style", "in_library"]
