"""Terms that claims, bounds and horizons are made of."""
