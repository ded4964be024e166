"""Reasons why a claim fails, in statements: where, and how the two sides differ. Looked for only where a comparison fails."""
