"""Properties of the machine that the bits of a result depend on: processor, kernels of linear algebra, versions of libraries.

The same sums in another order round otherwise, and libraries choose the order by the processor they find.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import platform
import re
from collections.abc import Collection, Mapping
from functools import cache
from importlib import import_module, metadata
from pathlib import Path

LIBRARIES = ("numpy", "scipy", "cvxpy")
_CORE_NAMES = (
    "scipy_openblas_get_corename64_",
    "openblas_get_corename64_",
    "scipy_openblas_get_corename",
    "openblas_get_corename",
)


@cache
def machine() -> Mapping[str, str]:
    """Properties of this machine, by name: two machines with equal ones compute the same bits."""
    return {
        "python": platform.python_version(),
        **{name: _version(name) for name in LIBRARIES},
        "libc": " ".join(platform.libc_ver()).strip() or platform.system(),
        "processor": platform.machine(),
        "numpy kernels": _numpy_kernels(),
        "BLAS kernels": ", ".join(_blas_kernels()) or "not known",
    }


def differences(then: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Differences between two machines, in words; empty if none is known."""
    differing = [name for name in sorted(then.keys() & now.keys()) if then[name] != now[name]]
    return "; ".join(f"{name} was {then[name]}, is {now[name]}" for name in differing)


def _version(library: str) -> str:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return "missing"


def _numpy_kernels() -> str:
    """The extensions of the processor that numpy chooses its loops by: the last ones, and a hash of all."""
    features: Mapping[str, bool] = {}
    for module in ("numpy._core._multiarray_umath", "numpy.core._multiarray_umath"):  # numpy 2, numpy 1
        with contextlib.suppress(ImportError):
            features = features or import_module(module).__cpu_features__
    enabled = [name for name, there in features.items() if there]
    return f"{enabled[-1] if enabled else 'none'} ({hashlib.sha256(' '.join(sorted(enabled)).encode()).hexdigest()[:8]})"


def _blas_kernels() -> list[str]:
    """The kernels that the OpenBLAS of numpy has chosen; of all that are loaded, where numpy brings none of its own.

    Those of other libraries are left out: which of these are loaded depends on what has run in the process before, and the answer
    must not. They choose by the processor and the environment, as numpy does.
    """
    import numpy.linalg  # noqa: F401  # loads the library

    found = []
    for place in _openblas():
        library = ctypes.CDLL(place)
        name = next((name for name in _CORE_NAMES if hasattr(library, name)), None)
        if name is not None:
            function = getattr(library, name)
            function.restype = ctypes.c_char_p
            found.append(function().decode())
    return sorted(set(found))


def _openblas() -> list[str]:
    try:
        text = os.fsdecode(Path("/proc/self/maps").read_bytes())  # names of files, which need not be UTF-8
    except OSError:
        return []
    return own_of({line for line in re.findall(r"(/\S.*)$", text, re.MULTILINE) if "openblas" in Path(line).name})


def own_of(places: Collection[str]) -> list[str]:
    """Libraries that numpy brings along, or all where it brings none, as where the system has one for everybody."""
    return sorted(place for place in places if {"numpy", "numpy.libs"} & set(Path(place).parts)) or sorted(places)
