"""Code in a checkout: where it is, which commit that is, and how its modules are imported under a name of their own.

Repositories of experiments have modules called ``agent`` and ``utils``, which import each other by these names and of which two
repositories cannot be imported into one process. Here a checkout is a package with the name of its repository. While one of its
modules is imported, its other ones can be found under the names it knows, and afterwards not any more.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any


@dataclass(frozen=True)
class Checkout:
    """A repository on this disk.

    Parameters
    ----------
    name : str
        The name its code is imported under, and that reports show.
    variable : str
        The environment variable that says where the checkout is.
    folder : str
        Where in it the modules are.
    siblings : tuple of str
        Modules of it that its code imports by their bare names.
    instead : mapping of str to module
        What its code is given in place of libraries that draw a progress bar or a plot.
    """

    name: str
    variable: str
    folder: str = "."
    siblings: tuple[str, ...] = ()
    instead: Mapping[str, ModuleType] = field(default_factory=dict)

    @property
    def place(self) -> Path | None:
        """The folder of its modules; None where no checkout is."""
        given = os.environ.get(self.variable)
        found = Path(given).expanduser().resolve() / self.folder if given else None
        return found if found is not None and found.is_dir() else None

    def announce(self) -> None:
        """Make it a package, of which nothing is imported yet: stored results are of its present source, and reports name it."""
        assert self.place is not None, self.variable
        package = ModuleType(self.name)
        package.__path__ = [str(self.place)]
        package.__spec__ = ModuleSpec(self.name, None, is_package=True)
        package.__spec__.submodule_search_locations = package.__path__
        package.__file__ = str(next(self.place.glob("*.py"), self.place))
        package.__version__ = commit(self.place)  # type: ignore[attr-defined]  # as packages have one
        sys.modules.setdefault(self.name, package)

    def load(self, module: str) -> Any:
        """A module of it."""
        with self._found_by_bare_names():
            return import_module(f"{self.name}.{module}")

    @contextmanager
    def _found_by_bare_names(self) -> Iterator[None]:
        names = (*self.siblings, *self.instead)
        before = {name: sys.modules.pop(name) for name in names if name in sys.modules}
        try:
            sys.modules.update(self.instead)
            for name in self.siblings:
                sys.modules[name] = import_module(f"{self.name}.{name}")
            yield
        finally:
            for name in names:
                sys.modules.pop(name, None)
            sys.modules.update(before)


def commit(place: Path) -> str:
    """The first letters of the commit that is checked out; "unknown" where that cannot be read."""
    for folder in (place, *place.parents):
        git = folder / ".git"
        if git.is_file():  # a worktree
            git = folder / git.read_text().strip().removeprefix("gitdir: ")
        head = git / "HEAD"
        if head.is_file():
            text = head.read_text().strip()
            reference = git / text.removeprefix("ref: ")
            if text.startswith("ref: "):
                text = reference.read_text().strip() if reference.is_file() else ""
            return text[:10] or "unknown"
    return "unknown"
