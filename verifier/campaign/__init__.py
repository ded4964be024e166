"""Which trials are run, when to stop, and how verdicts are reached."""
