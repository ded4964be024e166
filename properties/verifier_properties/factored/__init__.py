"""Properties of algorithms of the factored setting."""
