"""Verdicts of two records of the same agents compared: of two boards, or of two versions of a library."""

from __future__ import annotations

from collections.abc import Iterator

from verifier.record.entries import AlgorithmEntry, Record

VIOLATED = "violated"
ABSENT = "not there"


def changes(before: Record, after: Record) -> tuple[str, bool]:
    """Lines that say which verdicts differ, and whether a claim is violated now that was not before."""
    old = {algorithm.name: algorithm for algorithm in before.algorithms}
    new = {algorithm.name: algorithm for algorithm in after.algorithms}
    lines: list[str] = []
    worse = False
    for name in dict.fromkeys((*old, *new)):
        if name not in old or name not in new:
            lines.append(f"{name}: only in the record {'after' if name in new else 'before'}")
            continue
        found = list(_verdicts(old[name], new[name]))
        versions = " -> ".join(dict.fromkeys(map(_version, (old[name], new[name]))))
        same = len(new[name].claims) - sum(was != ABSENT != now for _, was, now in found)
        lines.append(f"{name} ({versions}): {len(found)} changed" if found else f"{name} ({versions}): {same} claims as before")
        lines += [f"  {claim}: {was} -> {now}" for claim, was, now in found]
        worse = worse or any(now == VIOLATED for _, _, now in found)
    lines += _figures(before, after)
    differing = [word for word in ("profile", "seed") if _of_run(before, word) != _of_run(after, word)]
    lines += [f"{word}: {_of_run(before, word)} -> {_of_run(after, word)}, which changes verdicts, too" for word in differing]
    return "".join(f"{line}\n" for line in lines), worse


def _verdicts(old: AlgorithmEntry, new: AlgorithmEntry) -> Iterator[tuple[str, str, str]]:
    """Claims whose verdict is another one, those that are violated now first."""
    was, now = ({claim.name: claim.verdict for claim in entry.claims} for entry in (old, new))
    found = [(name, was.get(name, ABSENT), now.get(name, ABSENT)) for name in dict.fromkeys((*was, *now))]
    return iter(sorted((each for each in found if each[1] != each[2]), key=lambda each: each[2] != VIOLATED))


def _figures(before: Record, after: Record) -> Iterator[str]:
    """Figures of papers whose verdict is another one; such a verdict violates no claim."""
    was, now = ({f"{each.algorithm}, figure {each.key}": each.verdict for each in record.figures} for record in (before, after))
    for name in dict.fromkeys((*was, *now)):
        old, new = was.get(name, ABSENT), now.get(name, ABSENT)
        yield f"{name}: {old} -> {new}" if old != new else f"{name}: {new} as before"


def _version(entry: AlgorithmEntry) -> str:
    """The libraries that were run, with their versions; of an algorithm of a plugin, the version of that."""
    libraries = entry.settings.get("libraries", {})
    told = ", ".join(f"{name} {version}" for name, version in libraries.items()) if isinstance(libraries, dict) else ""
    return told or f"{entry.plugin} {entry.version}".strip()


def _of_run(record: Record, word: str) -> object:
    return record.seed if word == "seed" else record.profile.get("name", "")
