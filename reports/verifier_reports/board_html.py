"""The board of published code as a page for a browser."""

from __future__ import annotations

from verifier.record import Record
from verifier_reports.board import BoardWriter
from verifier_reports.text_writer import TextWriter

_STYLE = """
:root { color-scheme: light dark; }
body { max-width: 76rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
table { border-collapse: collapse; display: block; overflow-x: auto; font-size: 0.9em; }
th, td { border: 1px solid #8886; padding: 0.25rem 0.6rem; text-align: left; vertical-align: top; overflow-wrap: normal; }
code, pre { font: 0.9em/1.4 ui-monospace, monospace; }
pre { padding: 0.7rem; border: 1px solid #8886; overflow-x: auto; }
h2 { border-top: 2px solid #8886; padding-top: 1.2rem; margin-top: 2.5rem; }
"""

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Published code against its theorems</title>
<style>{style}</style>
</head>
<body>
{body}</body>
</html>
"""


class BoardHtmlWriter(TextWriter):
    """Published code against its theorems, as one page that refers to nothing outside itself.

    It is the Markdown page of `BoardWriter`, in which everything that comes from a record is escaped.
    """

    def render(self, record: Record) -> str:
        """The page as text."""
        from markdown_it import MarkdownIt

        body = MarkdownIt("commonmark", {"html": True}).enable("table").render(BoardWriter().render(record))
        return _PAGE.format(style=_STYLE, body=body)
