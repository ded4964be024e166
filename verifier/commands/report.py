"""Report that a command returns to Python code: the record, with the questions people ask first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verifier.base.errors import UsageError, nearest
from verifier.base.plain import harmless
from verifier.plugins.registry import with_ending, with_formats
from verifier.record import AlgorithmEntry, Record
from verifier.record.sentence import in_words
from verifier.record.verdict import ORDER, Verdict
from verifier.record.writer import Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from verifier.commands.replay import Replayed


class Report:
    """The result of a command.

    Attributes
    ----------
    record : Record
        Everything that was found.

    Examples
    --------
    >>> import verifier
    >>> report = verifier.check("ucblvd", claims="gram", instances="onehot", regimes="oracle", keep=False)
    >>> report.violated, report.exit_code, str(report.verdicts["ucblvd/gram"])
    ((), 0, 'conforms')
    """

    def __init__(self, record: Record, again: Callable[[str, Record], Replayed] | None = None) -> None:
        self.record, self._again = record, again

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """The verdict of every claim, by id (``"ucblvd/optimism"``)."""
        return {claim.id: Verdict(claim.verdict) for algorithm in self.record.algorithms for claim in algorithm.claims}

    @property
    def violated(self) -> tuple[str, ...]:
        """Ids of the claims that are violated."""
        return tuple(claim for claim, verdict in self.verdicts.items() if verdict is Verdict.VIOLATED)

    @property
    def errors(self) -> tuple[str, ...]:
        """Failures, in words: crashes, hangs and broken contracts, each cause once."""
        return tuple(line for algorithm in self.record.algorithms for line in _causes(algorithm))

    @property
    def unfinished(self) -> tuple[str, ...]:
        """Parts that were not looked at before the run ended, in words; where there is any, nothing has passed."""
        return tuple(f"{each.name}: {each.unfinished}" for each in self.record.algorithms if each.unfinished)

    @property
    def exit_code(self) -> int:
        """Exit code of the command line: 0 when nothing is violated, see `verifier --help`."""
        return self.record.exit_code

    def replay(self, name: str) -> Replayed:
        """Run one measurement again, bit for bit.

        Parameters
        ----------
        name : str
            Id of a claim, ``"my-ucbvi/q-formula"``, for the trial that decided it; or the whole id of a trial.

        Raises
        ------
        UsageError
            If the report has no such claim, or no trial of it.
        """
        if self._again is None:
            raise UsageError("this report is not of a run in this process; use verifier.replay(id, record=...)")
        claims = {claim.id: claim for algorithm in self.record.algorithms for claim in algorithm.claims}
        if ":" not in name:
            if name not in claims:
                raise UsageError(f"the report has no claim {name!r}. {nearest(name, claims)}")
            decides = claims[name].deciding
            if decides is None or not decides.replay:
                raise UsageError(f"there is no trial of {name}: it is {claims[name].verdict}")
            name = decides.replay
        return self._again(name, self.record)

    def to_json(self) -> dict[str, Any]:
        """The record as plain JSON data."""
        return self.record.to_json()

    def save(self, path: str | Path, format: str | None = None) -> Path:
        """Write the report to a file.

        Parameters
        ----------
        path : str or Path
        format : str, optional
            One of those `verifier list` shows; ``"pdf"``, ``"svg"``, ``"png"`` and ``"csv"`` fill a folder with figures for a
            paper, or their numbers. By default it is what the ending of the path says: .json, .json.gz, .html, .md, .xml
            (JUnit), .sarif, .txt, and the `endings` of writers of other plugins.

        Returns
        -------
        Path

        Raises
        ------
        UsageError
            If the format is not known, or the file cannot be written.
        """
        path = Path(path)
        writer = with_formats(format).writer(format) if format is not None else with_ending(path.suffix).writer_of(path)
        try:
            writer.write(self.record, path)
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror}; choose another path") from None
        return path

    @property
    def figures(self) -> tuple[str, ...]:
        """Names of the figures that `figure` draws of this report."""
        return _drawing().figures(self.record)

    def figure(self, name: str, ax: Axes | None = None) -> Figure:
        """Draw a figure for a paper; `save` writes all of them with ``format="pdf"``, ``"svg"``, ``"png"`` or ``"csv"``.

        Parameters
        ----------
        name : str
            One of `figures`: a claim whose growth was measured (``"regret-growth"``), or ``"looseness"``, ``"kill-matrix"`` or
            ``"factors"``. Where several algorithms or instances have one, it is the name of its file.
        ax : matplotlib.axes.Axes, optional
            Axes of your own figure, in whose fonts everything is drawn, with a legend inside. By default the figure is a new one
            as wide as a column (3.25 inches) or a page (6.75 inches), with type of 8 points.

        Returns
        -------
        matplotlib.figure.Figure
            The new figure, or that of `ax`. No pyplot knows of a new one, so there is nothing to close.

        Raises
        ------
        UsageError
            If the report has no such figure, with the names there are; or if no installed format draws figures.
        """
        return _drawing().figure(self.record, name, ax)

    def __repr__(self) -> str:
        lines = [line for algorithm in self.record.algorithms for line in _lines(algorithm)]
        return harmless("\n".join(lines or ["nothing was checked"]))

    def _repr_html_(self) -> str:
        rows = (
            f"<tr><td>{escape(claim.id)}</td><td>{escape(claim.verdict)}</td><td>{escape(claim.statement)}</td>"
            f"<td>{escape(claim.reason)}</td></tr>"
            for algorithm in self.record.algorithms
            for claim in sorted(algorithm.claims, key=lambda claim: ORDER.index(Verdict(claim.verdict)))
        )
        head = "<tr><th>claim</th><th>verdict</th><th>statement</th><th>reason</th></tr>"
        return (
            f'<pre style="white-space: pre-wrap">{escape(repr(self))}</pre>'
            f"<details><summary>All claims</summary><table>{head}{''.join(rows)}</table></details>"
        )


def _drawing() -> Drawing:
    """Format that draws figures; matplotlib is imported when it draws."""
    found = next((writer for writer in with_formats("pdf").writers.values() if isinstance(writer, Drawing)), None)
    if found is None:
        raise UsageError("no installed report format draws figures; install rl-verifier with its package verifier_reports")
    return found


def _lines(algorithm: AlgorithmEntry) -> list[str]:
    """An algorithm in a line, and one for each claim that is violated, planted bug that survived, and error."""
    counts = Counter(claim.verdict for claim in algorithm.claims)
    if algorithm.power is not None:
        counts = Counter(mutant.outcome for mutant in algorithm.power.mutants)
    if algorithm.tightness is not None:
        counts = Counter("claims with a factor" for entry in algorithm.tightness.claims if entry.lines)
    found = ", ".join(f"{count} {what}" for what, count in counts.items()) or "nothing was run"
    lines = [f"{algorithm.name}: {found}"]
    for claim in algorithm.claims:
        if claim.verdict == Verdict.VIOLATED:
            lines.append(f"  {claim.id} {in_words(claim)}")
            if claim.deciding is not None and claim.deciding.replay:
                lines.append(f'    again: report.replay("{claim.id}")')
    if algorithm.power is not None:
        survivors = [mutant for mutant in algorithm.power.mutants if mutant.outcome == "survived"]
        lines += [f"  {algorithm.name}~{mutant.name} survived: {mutant.description}" for mutant in survivors]
    lines += [f"  unfinished: {algorithm.unfinished}"] * bool(algorithm.unfinished)
    return lines + [f"  error: {cause}" for cause in _causes(algorithm)]


def _causes(algorithm: AlgorithmEntry) -> list[str]:
    """Failures by cause: the first place and how many more there are, and the message, which may begin with its place."""
    places: dict[tuple[str, str], dict[str, None]] = {}
    for error in algorithm.errors:
        places.setdefault((error.kind, error.cause), {})[error.where] = None
    return [
        next(iter(where)) + (f" and {len(where) - 1} more" if len(where) > 1 else "") + f": {cause}"
        for (_kind, cause), where in places.items()
    ]
