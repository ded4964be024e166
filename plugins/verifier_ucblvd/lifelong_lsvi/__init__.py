"""Lifelong-LSVI (Algorithm 1)."""
