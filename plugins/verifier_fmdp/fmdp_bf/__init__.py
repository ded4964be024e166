"""FMDP-BF."""
