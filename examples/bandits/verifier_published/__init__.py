"""Bandit algorithms of packages that can be installed, each in a class of a few lines around the published one.

A module for each package, which is a plugin of its own: a package that is not installed is listed with what to install, and takes
no other down. No line of their code is here, and nothing of it is mended.
"""
