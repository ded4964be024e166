"""Declarations common to both instantiations."""
