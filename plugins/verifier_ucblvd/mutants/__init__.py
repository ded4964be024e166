"""Realistic bugs planted in the five algorithms, each with the claims expected to catch it."""
