"""Properties of any setting: what they read of a view is in docs/inside-settings.md."""
