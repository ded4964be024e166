"""FMDP-BF for RL with knapsacks."""
