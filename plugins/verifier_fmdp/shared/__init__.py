"""Declarations common to several algorithms: claims, constants, bugs."""
