"""Place in somebody's code, as messages name it."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

BY_VALUE = "<dynamic-code>"
"""File of code that came to a worker by value, as cloudpickle names it."""


def place(file: str, line: int, name: str, module: str = "") -> str:
    """Place in brackets, with a blank before it.

    Parameters
    ----------
    file : str
        Its name alone is shown; of code that came by value that of its module.
    line : int
    name : str
        Of the function; what stands outside of all functions has none.
    module : str
    """
    shown = f"{module.rpartition('.')[2]}.py" if file == BY_VALUE else Path(file).name
    return f" ({shown}:{line})" if name == "<module>" else f" ({shown}:{line}, in {name})"


def place_of(function: Any) -> str:
    """Place where a function or method of Python begins; empty where that is not known."""
    function = inspect.unwrap(getattr(function, "__func__", function))
    code = getattr(function, "__code__", None)
    return "" if code is None else place(code.co_filename, code.co_firstlineno, code.co_name, function.__module__)
