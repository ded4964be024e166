"""RAVI-UCB: optimistic planning by regularised dynamic programming in discounted MDPs (ICML 2023), with its guarantees."""
