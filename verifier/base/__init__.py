"""Foundations of all other rooms: arrays, errors, seeds, options of a run, the version."""
