"""Where a new project has `verifier` from: a requirement that pip understands."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement

from verifier.base.errors import UsageError
from verifier.base.version import DISTRIBUTION, __version__


def requirement(source: str | None) -> str:
    """The requirement to write into a project.

    Parameters
    ----------
    source : str, optional
        A requirement (``rl-verifier==0.1``), an address (``git+https://host/owner/rl-verifier@v0.1``, ``https://host/x.whl``), or
        the path of a checkout or a wheel. None for the address that the running one was installed from, where that is one of a
        repository or of an archive; otherwise the name and the version, for an index.

    Raises
    ------
    UsageError
        If it is none of these, or a requirement of something else.
    """
    if source is None:
        source = _installed_from() or f"{DISTRIBUTION}>={__version__}"
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
            f"{DISTRIBUTION}>={__version__}, an address such as git+https://HOST/OWNER/{DISTRIBUTION}@v{__version__}, "
            "or a path that exists"
        )
    return str(parsed).replace('"', "'")  # it stands in quotation marks


def _installed_from() -> str:
    """The address of the repository or the archive that the running one was installed from (PEP 610); empty for neither."""
    try:
        found = json.loads(metadata.distribution(DISTRIBUTION).read_text("direct_url.json") or "{}")
    except metadata.PackageNotFoundError:
        return ""
    if vcs := found.get("vcs_info"):
        return f"{vcs['vcs']}+{found['url']}@{vcs['commit_id']}"
    return str(found["url"]) if "archive_info" in found and not found["url"].startswith("file:") else ""
