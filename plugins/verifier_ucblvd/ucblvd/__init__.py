"""UCBlvd (Algorithm 2)."""
