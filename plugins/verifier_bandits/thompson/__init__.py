"""Thompson sampling with Beta posteriors."""
