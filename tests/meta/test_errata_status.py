"""What an erratum calls false is not claimed "as printed".

An erratum names the claims that check what is true instead. Such a claim may be as printed all the same, where the paper prints
the truth in another place; but not if it says of itself that it stands where the erratum says that something false stands. The
same goes for claims of that name of the other algorithms of the paper.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from verifier.model.claim import Claim, Status
from verifier.model.erratum import Erratum, Grade
from verifier.plugins.registry import registry

_KIND = r"lemmas?|theorems?|assumptions?|corollary|corollaries|propositions?|eq\.|algorithm"
_NUMBER = r"[A-Z]?\.?\d+[\d.]*"


def places(source: str) -> set[str]:
    """The numbered places in a text: ``"Lemmas 9, 14"`` gives ``{"lemma 9", "lemma 14"}``."""
    found = set()
    for kind, numbers in re.findall(rf"({_KIND})\s+((?:\(?{_NUMBER}\)?(?:,\s+|\s+and\s+)?)+)", source, re.IGNORECASE):
        singular = kind.lower().removesuffix("s").replace("corollarie", "corollary")
        found |= {f"{singular} {number.strip('.')}" for number in re.findall(_NUMBER, numbers)}
    return found


def pairs() -> Iterator[tuple[Erratum, str, Claim]]:
    """Errata that call something false, with the claims that check the corrected form, of all algorithms of the paper."""
    every = registry().guarantees.values()
    for guarantees in every:
        for erratum in guarantees.errata:
            names = {claim.split("/")[1] for claim in erratum.claims}
            if erratum.grade is not Grade.NOT_IMPLIED:
                yield from ((erratum, guarantees.name, claim) for claim in guarantees.every_claim if claim.name in names)


def wrong(erratum: Erratum, claim: Claim) -> bool:
    return claim.status is Status.PRINTED and bool(places(erratum.source) & places(claim.source))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("Lemmas 9, 14; last lines of the proofs of Lemmas 3, 5", {"lemma 9", "lemma 14", "lemma 3", "lemma 5"}),
        ("eq. (15), proof of Theorem 1", {"eq. 15", "theorem 1"}),
        ("Appendix A.4, last line; Lemma 5.5", {"lemma 5.5"}),
        ("Theorems 4.1, 5.1 and B.3; Lemma C.2", {"theorem 4.1", "theorem 5.1", "theorem B.3", "lemma C.2"}),
    ],
)
def test_places(source: str, expected: set[str]) -> None:
    assert places(source) == expected


def test_no_claim_is_as_printed_where_an_erratum_says_that_this_is_false() -> None:
    assert {
        f"{name}/{claim.name}, {claim.source}: erratum {erratum.name}"
        for erratum, name, claim in pairs()
        if wrong(erratum, claim)
    } == set()


def test_corrected_claims_say_why() -> None:
    every = registry().guarantees.values()
    assert [
        f"{one.name}/{claim.name}"
        for one in every
        for claim in one.every_claim
        if claim.status is Status.CORRECTED and not claim.why
    ] == []


def test_nothing_is_as_printed_where_the_text_was_not_read() -> None:
    """Claims say themselves where that is so: then all claims of the algorithm are ours."""
    unread = {
        guarantees.name: [claim.name for claim in guarantees.claims if claim.status is Status.PRINTED]
        for guarantees in registry().guarantees.values()
        if any("not from the text of the paper" in claim.why for claim in guarantees.claims)
    }
    assert unread == {name: [] for name in ("oful", "exp3", "rf-ucrl", "bpi-ucrl")}
