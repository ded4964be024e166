"""Choice of the searches on drawn instances that are run for an algorithm, and the reason where none was."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from verifier import record
from verifier.campaign.evidence import Place, regime_entry
from verifier.campaign.subject import Subject
from verifier.campaign.tally import Deterministic
from verifier.model.claim import Claim
from verifier.model.regime import Regime
from verifier.model.result import TrialSpec
from verifier.trials.search.witness import DRAWN


def planned(subjects: Iterable[Subject], examples: int, seed: int) -> list[TrialSpec]:
    """The searches that follow the trials, those first in which a claim is refuted already.

    Such a claim is shrunk to its smallest witness before anything else is looked at, and also where nothing else is: where other
    instances were chosen, or the budget has ended the trials. Where that is one which few decisions depend on, it is alone in its
    search, which then draws long runs.

    Parameters
    ----------
    subjects : iterable of Subject
    examples : int
        Instances to draw in each search.
    seed : int
    """
    alone: list[TrialSpec] = []
    first: list[TrialSpec] = []
    others: list[TrialSpec] = []
    for subject in subjects:
        refuted = _refuted(subject) if subject.setting.recipes is not None else {}
        for regime in dict.fromkeys((*refuted, *subject.drawn)):
            names = [claim.name for claim in subject.searched_in(regime)]
            known = [name for name in names if name in refuted.get(regime, ())]
            whole = regime in subject.drawn and not subject.cut
            seldom = [claim.name for claim in subject.searched_in(regime) if claim.property.seldom and claim.name in known]
            rest = [name for name in known if name not in seldom]
            rest += [name for name in names if whole and name not in known]
            for claims, into in (seldom, alone), (rest, others if set(known).isdisjoint(rest) else first):
                if claims:
                    into.append(TrialSpec(subject.name, DRAWN, regime, examples, seed, claims=tuple(claims)))
    alone.sort(key=lambda spec: Regime.parse(spec.regime).scale)  # with less of the width runs are shorter, and one is shown
    return alone + first + others


def _refuted(subject: Subject) -> dict[str, set[str]]:
    """The claims that one failed comparison has refuted, by regime."""
    found: dict[str, set[str]] = {}
    for cell in subject.cells:
        names = {name for name, tally in cell.tallies.items() if name in subject.refuted and tally.failures}
        if names - cell.not_applicable.keys():
            found.setdefault(cell.regime.name, set()).update(names - cell.not_applicable.keys())
    return found


def missing(subject: Subject, claim: Claim) -> list[record.RegimeEntry]:
    """Entries of a claim for which drawn instances were all that was asked for, and of which none was drawn."""
    failure = next((error.message for error in subject.other_errors), "")
    tally = Deterministic(claim, cut=subject.undrawn)
    places = [Place(Regime.parse(regime), DRAWN) for regime in subject.drawn if claim in subject.searched_in(regime)]
    return [replace(regime_entry(tally, place, error=failure), ran=False) for place in places]
