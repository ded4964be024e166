"""The version of the distribution; `pyproject.toml` holds the same string (a test keeps them equal)."""

__version__ = "0.1.0"
DISTRIBUTION = "rl-verifier"
"""Name under which it is installed."""
