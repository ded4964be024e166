"""Randomized least-squares value iteration."""
