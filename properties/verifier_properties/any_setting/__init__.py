"""Properties of any setting: what they read of a view is in ARCHITECTURE.md."""
