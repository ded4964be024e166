"""Agents of repositories that no package index has, with the claims of the theorems they cite; each from a checkout on this disk.

Nothing of the repositories is here. An environment variable says where a checkout is; those without one are listed as missing.
"""

from __future__ import annotations

from collections.abc import Sequence

from verifier import Guarantees, hookimpl
from verifier.base.errors import MissingExtraError
from verifier_checkouts import exploration_in_rl, rlberry, rlberry_research, tabularl

ADAPTERS = (
    (tabularl.CHECKOUT, tabularl.GUARANTEES),
    (exploration_in_rl.CHECKOUT, exploration_in_rl.GUARANTEES),
    (rlberry.CHECKOUT, rlberry.GUARANTEES),
    *((rlberry_research.CHECKOUT, guarantees) for guarantees in rlberry_research.GUARANTEES),
)


@hookimpl
def verifier_algorithms() -> Sequence[Guarantees]:
    """Guarantees of the agents whose checkout is there.

    Raises
    ------
    MissingExtraError
        If no checkout is, with what to set.
    """
    found = [guarantees for checkout, guarantees in ADAPTERS if checkout.place is not None]
    for checkout, guarantees in ADAPTERS:
        if guarantees in found:
            checkout.announce()
    if not found:
        places = dict.fromkeys((checkout.name, checkout.variable) for checkout, _ in ADAPTERS)
        library = " or ".join(name for name, _ in places)
        remedy = "set " + " or ".join(f"{variable}=FOLDER" for _, variable in places) + " to a checkout"
        names = tuple(guarantees.name for _, guarantees in ADAPTERS)
        raise MissingExtraError(library, names=names, groups=("checkouts",), remedy=remedy)
    return found
