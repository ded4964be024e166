"""UCBlvd with unknown rewards (Algorithm 3)."""
