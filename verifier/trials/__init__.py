"""One trial: played, measured, run in a worker process, kept in the store."""
