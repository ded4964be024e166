"""Declarations common to several algorithms."""
