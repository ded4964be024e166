"""Trials whose agent runs in a process that never held the truth."""
