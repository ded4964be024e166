"""`verifier gate`: whether a plugin may land.

A gate asks more of a plugin than `verifier check` does. It is a list of findings, one for each thing required, from these
stages in this order: contract, claims, coverage, determinism, power, speed, baseline. One that failed makes the gate red.
"""
