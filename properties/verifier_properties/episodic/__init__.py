"""Properties of the episodic setting."""
