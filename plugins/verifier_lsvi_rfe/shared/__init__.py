"""What claims, bounds and horizons are made of."""
