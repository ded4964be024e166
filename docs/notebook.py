"""The notebook of the documentation: its outputs, and its page. Python and JSON are enough, so that nothing is run in a build.

``python docs/notebook.py`` runs the cells of ``examples/notebook.ipynb`` and keeps what they return beside them.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PLACE = Path(__file__).parents[1] / "examples" / "notebook.ipynb"


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with the outputs of its cells: the value of the last line, as text and, where it has that form, as HTML."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count = 1 + sum(done["cell_type"] == "code" for done in cells)
            cell = {**cell, "execution_count": count, "outputs": list(_outputs("".join(cell["source"]), names, count))}
        cells.append(cell)
    return {**notebook, "cells": cells}


def _outputs(source: str, names: dict[str, Any], count: int) -> Iterator[dict[str, Any]]:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, PLACE.name, "exec"), names)
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), PLACE.name, "eval"), names)
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = value._repr_html_().splitlines(keepends=True)
        yield {"output_type": "execute_result", "execution_count": count, "data": data, "metadata": {}}


def page(notebook: dict[str, Any]) -> str:
    """The notebook as a page in Markdown, with a link to the file."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        parts.append(f"```python\n{source}\n```" if cell["cell_type"] == "code" else source)
        for output in cell.get("outputs", ()):
            data = output["data"]
            kind = "{raw} html" if "text/html" in data else "text"
            parts.append(f"```{kind}\n{''.join(data.get('text/html', data['text/plain']))}\n```")
    return "\n\n".join([*parts, "The file is `examples/notebook.ipynb`.", ""])


def read() -> dict[str, Any]:
    """The notebook as it is kept."""
    found: dict[str, Any] = json.loads(PLACE.read_text(encoding="utf-8"))
    return found


def main() -> None:
    """Run the cells, and keep their outputs."""
    PLACE.write_text(json.dumps(executed(read()), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
