"""Properties of settings with episodes of H steps and a known optimal value."""
