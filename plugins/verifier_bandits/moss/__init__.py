"""MOSS."""
