"""LSVI-RFE (Algorithms 1 and 2)."""
