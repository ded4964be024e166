"""UCBVI-CH on factored problems."""
