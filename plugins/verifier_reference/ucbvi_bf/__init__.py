"""UCBVI-BF."""
