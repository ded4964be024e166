"""What a plugin author writes with: algorithms, claims, properties, settings, and what comes out of a trial."""
