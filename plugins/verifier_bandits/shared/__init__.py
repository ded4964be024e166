"""Claims, oracles and planted bugs that bandit algorithms have in common."""
