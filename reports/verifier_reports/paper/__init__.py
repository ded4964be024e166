"""Figures for a paper: drawn at the width of a column, as PDF, SVG or PNG, with their numbers as CSV and their captions.

`collect` lists those of a record, one module draws each kind, `style` has sizes, fonts and colours, `writer` makes the files.
"""
