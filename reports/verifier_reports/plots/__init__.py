"""Figures drawn from a record: looseness of the bounds, scaling with the size, the kill matrix.

A `Plot` knows its title, its caption, what it says to those who cannot see it, and how to draw itself with matplotlib;
`collect.plots` lists those a record has, `drawing` turns one into SVG or PNG.
"""
