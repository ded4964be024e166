"""What everything rests on: arrays, errors, seeds, settings of a run, the version."""
