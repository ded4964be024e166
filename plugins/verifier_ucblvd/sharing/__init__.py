"""Lifelong-LSVI with computation sharing (Algorithm 5)."""
