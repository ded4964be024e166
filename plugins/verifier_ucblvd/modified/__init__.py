"""Modified UCBlvd (Algorithm 4)."""
