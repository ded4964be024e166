"""Realistic bugs of implementations of RAVI-UCB: in planning, in playing, in counting and in the regression."""
