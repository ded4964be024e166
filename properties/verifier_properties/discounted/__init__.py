"""Properties of the discounted setting."""
