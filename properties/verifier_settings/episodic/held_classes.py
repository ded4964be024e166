"""Class of an algorithm that is somebody's agent, held against another one."""

from __future__ import annotations

from types import SimpleNamespace

from verifier.base.errors import UsageError, nearest
from verifier.model.algorithm import Algorithm
from verifier.model.held import Held
from verifier_settings import acting
from verifier_settings.acting import Anybody
from verifier_settings.episodic.held import ActingAgent, HeldAgent, layouts_of
from verifier_settings.episodic.instance import STOPPING
from verifier_settings.episodic.kept import MADE
from verifier_settings.episodic.sampling import SamplingAgent
from verifier_settings.episodic.session import FORESEEN, FOUND


def held_agent(held: Held, name: str, title: str, reference: type[Algorithm] = Anybody) -> type[Algorithm]:
    """The class of an agent that is held against another algorithm.

    Raises
    ------
    UsageError
        If it shows something, and no Q; or if what it draws has to be seen, and it is not asked for actions.
    """
    if held.read and "Q" not in held.read:
        raise UsageError(
            f"{', '.join(held.read)} cannot be compared without the table of action values; say where that is: --read "
            "Q=ATTRIBUTE, or read={'Q': 'ATTRIBUTE'}; or read nothing: then its actions alone are compared"
        )
    sampling = not held.read and reference.draws == "beta"
    if sampling and held.act is None:
        raise UsageError(
            f"what an agent draws for {reference.name} is seen where it is asked for an action; say by which method it chooses "
            "an arm, --act 'select_arm()'"
        )
    fields = layouts_of(SimpleNamespace(S=1, A=1, H=1))  # not the policy: the agent is asked what it would choose
    for key in held.read:
        if key not in fields:
            raise UsageError(f"plans have no field {key!r} that could be read. {nearest(key, fields)}")
    yields = frozenset(held.read) | (reference.yields & ({"Q", "V"} | MADE) if held.read else frozenset())
    body = {**acting.of_agent(held, name, title, reference), "width_names": reference.width_names, "yields": yields}
    body["handles"] = reference.handles - STOPPING  # an agent plays on as long as it is asked for actions
    if sampling:
        body |= {"draws": reference.draws, "extra": reference.extra, "yields": frozenset({"Q"})}
    if held.read:
        body["without_oracle"] = _without_oracle(held, reference)
    kind = HeldAgent if held.read else SamplingAgent if sampling else ActingAgent
    return type(held.factory.__name__, (kind,), body)


def _without_oracle(held: Held, reference: type[Algorithm]) -> str:
    """Reason why the oracle regime is not possible; empty where it may be, or nobody wants it."""
    if held.knob is None or "oracle" not in reference.regimes:
        return ""
    if held.fit is not None:
        return "the agent drives its environment, so nobody knows when it plans next"
    if "update" in reference.width_names and held.update is None:
        return "it learns from whole episodes, and each update has a width of its own"
    others = [of for of in reference.width_names if of not in FORESEEN | FOUND | {"update"}]
    return f"the width of {', '.join(others)} differs from pair to pair" if others else ""
