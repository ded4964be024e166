"""Trials: played, measured, run in worker processes, kept in the store."""
