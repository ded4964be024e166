"""CVaR-LSVI, the planner inside ELLA."""
