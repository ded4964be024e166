"""Campaigns: choice of trials, end of the run, and how verdicts are reached."""
