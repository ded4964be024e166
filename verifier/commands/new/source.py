"""Source from which a new project installs `verifier`: a requirement that pip understands, and a note on it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from packaging.requirements import InvalidRequirement, Requirement

from verifier.base.errors import UsageError
from verifier.base.version import DISTRIBUTION, __version__

EXAMPLE = f"git+https://HOST/OWNER/{DISTRIBUTION}@v{__version__}"
"""An address that other machines could reach; nobody is told that there is something at this one."""


@dataclass(frozen=True)
class Source:
    """Source from which a project installs `verifier`.

    Parameters
    ----------
    requirement : str
        What pyproject.toml says, without quotation marks in it.
    replaces : bool
        Whether installing the project would put a copy in the place of the editable installation that is running.
    """

    requirement: str
    replaces: bool = False

    @property
    def note(self) -> str:
        """Note to whoever has the project: the place, who can reach it, and how another one is named."""
        address = Requirement(self.requirement).url
        where = f"from {address}" if address else f"from a package index, as {self.requirement}"
        if address and _path_of(address) is not None:
            where += ", which only this machine has"
        return (
            f"The project has verifier {where}. If its workflow, or somebody else, cannot install that, name a place that "
            f"they reach, such as {EXAMPLE}: in `dependencies` of its pyproject.toml, or with "
            "`verifier new --verifier-source`."
        )


def source_of(given: str | None = None) -> Source:
    """Source from which a project is to install `verifier`.

    Parameters
    ----------
    given : str, optional
        A requirement (``rl-verifier==0.1``), an address (``git+https://host/owner/rl-verifier@v0.1``, ``https://host/x.whl``), or
        the path of a checkout or a wheel. None for the place that the running one was installed from: an address, a folder or a
        file of this machine that is still there. Otherwise it is the name and the version, for an index.

    Raises
    ------
    UsageError
        If it is none of these, or a requirement of something else.
    """
    if given is not None:
        return Source(_requirement(given))
    address, editable = _installed_from()
    path = _path_of(address)
    if not address or (path is not None and not path.exists()):
        return Source(f"{DISTRIBUTION}>={__version__}")
    return Source(_requirement(address), replaces=editable)


def _requirement(source: str) -> str:
    path = Path(source).expanduser()
    if source and path.exists():
        source = path.resolve().as_uri()
    text = f"{DISTRIBUTION} @ {source}" if "://" in source and "@ " not in source else source
    try:
        parsed = Requirement(text)
    except InvalidRequirement:
        parsed = None
    if parsed is None or parsed.name.lower().replace("_", "-") != DISTRIBUTION:
        raise UsageError(
            f"--verifier-source {source!r} is no place to have {DISTRIBUTION} from; expected a requirement such as "
            f"{DISTRIBUTION}>={__version__}, an address such as {EXAMPLE}, or a path that exists"
        )
    return str(parsed).replace('"', "'")  # it stands in quotation marks


def _installed_from() -> tuple[str, bool]:
    """The address that the running one was installed from (PEP 610), empty for an index; and whether it is editable."""
    try:
        found = json.loads(metadata.distribution(DISTRIBUTION).read_text("direct_url.json") or "{}")
    except metadata.PackageNotFoundError:
        return "", False
    address = str(found.get("url", ""))
    if vcs := found.get("vcs_info"):
        address = f"{vcs['vcs']}+{address}@{vcs['commit_id']}"
    if below := found.get("subdirectory"):
        address += f"#subdirectory={below}"
    return address, bool(found.get("dir_info", {}).get("editable"))


def _path_of(address: str) -> Path | None:
    """The path on this machine, a repository of it included; None for an address elsewhere."""
    scheme, _, path, _, _ = urlsplit(address)
    if scheme.rpartition("+")[2] != "file":
        return None
    return Path(url2pathname(path.rpartition("@")[0] if "+" in scheme and "@" in path else path))
