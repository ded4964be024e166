"""FMDP-CH."""
