"""Formulas as trees of named quantities: what is evaluated, printed, bounded and solved is one and the same thing."""
