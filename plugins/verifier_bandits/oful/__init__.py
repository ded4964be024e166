"""OFUL."""
