"""Properties of the lifelong setting."""
