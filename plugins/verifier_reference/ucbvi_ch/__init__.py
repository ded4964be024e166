"""UCBVI-CH."""
