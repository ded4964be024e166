"""The report as one HTML file that needs nothing else: no network, no scripts or fonts from elsewhere.

`writer` renders the templates beside it; `view` decides what is shown and what is left to the record; `text` turns a line
of mathematics, a block of text or a figure into HTML.
"""
