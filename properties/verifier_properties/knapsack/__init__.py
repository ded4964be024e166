"""Properties of runs with knapsacks."""
