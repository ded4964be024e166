"""Discounted MDPs met in a single stream with resets.

Setting of "Optimistic Planning by Regularized Dynamic Programming" (ICML 2023): finite states and actions, known rewards, unknown
transitions, an agent that may ask for a reset to the initial law at any time.
"""
