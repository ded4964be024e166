"""The search for counterexamples on small drawn instances."""
