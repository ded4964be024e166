"""Properties of the CVaR settings."""
