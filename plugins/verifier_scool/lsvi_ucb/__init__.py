"""`rlberry_scool.agents.LSVIUCBAgent` and the claims of the theorem it cites."""
