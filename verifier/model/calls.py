"""Calls of an agent of somebody else: from a template, or from the names of its parameters and methods."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from types import CodeType
from typing import Any

from verifier.base.errors import UsageError, nearest
from verifier.base.place import place_of
from verifier.model.own_calls import outermost

SIZES: Mapping[str, tuple[str, ...]] = {
    "S": ("s", "ns", "n_states", "num_states", "nb_states", "nstates", "state_count", "states", "n_s"),
    "A": (
        "a",
        "na",
        "n_actions",
        "num_actions",
        "nb_actions",
        "nactions",
        "action_count",
        "actions",
        "n_a",
        "n_arms",
        "num_arms",
        "nb_arms",
        "narms",
        "nbarms",
        "arms",
        "number_of_arms",
    ),
    "H": ("h", "horizon", "episode_length", "max_steps", "n_steps"),
    "K": ("k", "episodes", "n_episodes", "num_episodes", "nb_episodes", "max_episodes"),
    "T": ("t", "total_steps", "n_total_steps"),
    "delta": ("delta", "p", "failure_probability", "failure_prob", "fail_probability", "fail_prob", "prob_fail", "confidence"),
    "reward": ("r", "reward", "rewards", "reward_function", "mean_rewards"),
    "d": ("d", "dim", "dimension", "feature_dim"),
    "B": ("bound", "norm_bound", "theta_bound", "parameter_bound"),
    "phi": ("phi", "features", "feature_map"),
    "ridge": ("lam", "lambda_", "ridge", "reg", "regularization"),
    "seed": ("seed", "random_state"),
    "rng": ("rng", "generator", "random_generator"),
}
"""Names that a parameter of a constructor may have, by what is handed over; small and capital letters are the same."""

ROUNDS: Mapping[str, tuple[str, ...]] = {
    "A": (*SIZES["A"], "k"),
    "H": (),
    "K": (*SIZES["K"][1:], "horizon", "n_steps", "rounds", "n_rounds", "num_rounds", "nb_rounds"),
}
"""Names that a parameter may have where an agent is a bandit: k counts its arms, and the horizon its rounds."""

STEP: Mapping[str, tuple[str, ...]] = {
    "s": ("s", "state", "obs", "observation", "x"),
    "h": ("h", "step", "t", "stage", "timestep", "time_step"),
    "a": ("a", "action", "act", "arm", "chosen_arm"),
    "r": ("r", "reward", "rew"),
    "s2": ("s2", "s_next", "next_state", "ns", "s_", "sp", "s_prime", "next_obs", "next_observation", "new_state", "following"),
    "k": ("k", "episode", "ep"),
    "done": ("done", "terminal", "terminated", "last"),
}
"""Names that a parameter of a method may have, by what is known at a step."""

EPISODE: Mapping[str, tuple[str, ...]] = {
    "steps": ("episode", "trajectory", "traj", "path", "transitions", "history", "rollout"),
    "k": ("k", "ep", "episode_number", "episode_index"),
}
"""Names that a parameter of a method may have that learns from a whole episode, by what is known at its end."""

LOOP: Mapping[str, tuple[str, ...]] = {**SIZES, "env": ("env", "environment", "mdp"), "K": (*SIZES["K"], "budget", "n", "num_ep")}
"""Names that a parameter of what drives the environment may have, by what is handed over."""

ACT = (
    "act",
    "choose_action",
    "select_action",
    "get_action",
    "sample_action",
    "choose",
    "pick_action",
    "pick",
    "decide",
    "select_arm",
    "choose_arm",
    "pick_arm",
    "select",
    "choice",
    "pull",
)
POLICY = ("policy",)
UPDATE = (
    "update",
    "observe",
    "learn",
    "add_transition",
    "record",
    "store",
    "add",
    "update_counts",
    "step",
    "getReward",
    "feedback",
    "observe_step",
    "receive",
)
END = (
    "end_episode",
    "finish_episode",
    "on_episode_end",
    "episode_end",
    "after_episode",
    "observe_episode",
    "update_episode",
    "end_of_episode",
)
FIT = ("fit", "train", "run", "learn")
BEFORE = (
    "plan",
    "replan",
    "begin_episode",
    "start_episode",
    "new_episode",
    "on_episode_start",
    "before_episode",
    "make_policy",
    "compute_policy",
    "update_policy",
    "sample_policy",
    "resample",
    "value_iteration",
    "backward_induction",
)
"""Names of the method that chooses an action, of the one that does where no method plans or drives the environment, of the one
that learns from a step, of the one that is called at the end of an episode, of the one that drives the environment itself, and of
the one that plans before an episode."""


PLAIN = frozenset("SAHKT")
"""Letters that are sizes, whatever value a parameter has by default."""

FUNCTIONS: Mapping[str, Any] = {each.__name__: each for each in (int, float, list, tuple, dict, range, len, min, max)}
"""Functions that a call may use, as for a list of the actions."""


@dataclass(frozen=True)
class Call:
    """Call of a method or of a class.

    Parameters
    ----------
    text : str
        As it is written, ``choose_action(h, s)``.
    said : bool
        Whether somebody has written it; it was guessed otherwise.
    """

    text: str
    said: bool = False

    @property
    def name(self) -> str:
        """Name of what is called."""
        return self.text.partition("(")[0]

    @property
    def names(self) -> tuple[str, ...]:
        """Names in the call, that of what is called included."""
        return _compiled(self.text).co_names

    def on(self, owner: Any, **known: Any) -> Any:
        """Result of the call.

        Parameters
        ----------
        owner : object
            What has the method: an agent, or the module or name space of a class.
        **known
            What the arguments may name.
        """
        # all names are global ones: the body of a lambda sees no others
        return eval(_compiled(self.text), {"__builtins__": {}, **FUNCTIONS, "_owner": owner, **known})

    def place(self, owner: Any) -> str:
        """Place where what is called begins, in the code of its owner; empty where that is not known."""
        return place_of(attrgetter(self.name)(owner))


@cache
def _compiled(text: str) -> CodeType:
    return compile(f"_owner.{text}", "<call>", "eval")


def names_beside(factory: Callable[..., Any]) -> dict[str, Any]:
    """Definitions and imports of the file of a class or function, by name, which a call that makes an agent may use."""
    functions = vars(factory).values() if inspect.isclass(factory) else (factory,)
    found = next((each.__globals__ for each in functions if inspect.isfunction(each)), {})
    return {name: value for name, value in found.items() if not name.startswith("_")}


def template(text: str, known: Iterable[str], option: str, beside: Iterable[str] = ()) -> Call:
    """Call that a user has written; it may use what is ``known`` and, without being told so, names ``beside`` these.

    Raises
    ------
    UsageError
        If it is no call, or names something that is not known.
    """
    written = text.strip() if text.strip().endswith(")") else f"{text.strip()}()"
    name, _, arguments = written.partition("(")
    try:
        tree = ast.parse(f"f({arguments}", mode="eval")
    except SyntaxError:
        example = "Agent(S, A, H)" if name[:1].isupper() else "choose_action(h, s)"
        raise UsageError(f"{option} {text!r} is no call; write one such as {example!r}") from None
    # what follows a point is an attribute of these; a lambda and a loop have names of their own
    named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    own = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    own |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    unknown = named - {"f", *known, *FUNCTIONS, *own, *beside}
    if unknown or not re.fullmatch(r"[A-Za-z_][\w.]*", name):
        file = ", and what the file of the agent defines or imports" if beside else ""
        close = " ".join(nearest(each, {*known, *beside}, " ").strip() for each in sorted(unknown))
        raise UsageError(
            f"{option} {text!r} names {', '.join(map(repr, sorted(unknown))) or repr(name)}; known are {', '.join(known)}, "
            f"the functions {', '.join(FUNCTIONS)}{file}. {close}".rstrip()
        )
    return Call(written, said=True)


def guessed(owner: Any, names: Iterable[str], known: Mapping[str, tuple[str, ...]]) -> Call | None:
    """Call of the first of some methods that an agent has, and that no other one of them calls; None if it has none.

    Raises
    ------
    UsageError
        If a parameter of it has a name of which nobody knows what belongs there.
    """
    found = next(iter(outermost(owner, names)), None)
    return None if found is None else with_arguments(getattr(owner, found), found, known, bound=inspect.isclass(owner))


def takes_episode(owner: Any, name: str) -> bool:
    """Whether a method needs one argument, by its name a whole episode: `observe(episode)`, and not `update(s, a, episode)`."""
    method = getattr(owner, name, None)
    if not inspect.isfunction(method):
        return False
    needed = [each.name for each in list(inspect.signature(method).parameters.values())[1:] if each.default is each.empty]
    return len(needed) == 1 and needed[0].lower() in EPISODE["steps"]


def takes_nothing(owner: Any, name: str) -> bool:
    """Whether a method needs no argument, as `learn()`, which plans from what was stored."""
    method = getattr(owner, name, None)
    return inspect.isfunction(method) and len(inspect.signature(method).parameters) == 1


def takes_state(owner: Any, name: str) -> bool:
    """Whether a method needs a state, as `policy(s, h)`: a policy of the whole episode has none."""
    method = getattr(owner, name, None)
    return inspect.isfunction(method) and any(each.lower() in STEP["s"] for each in inspect.signature(method).parameters)


def takes_environment(owner: Any, name: str) -> bool:
    """Whether a method, or the class that has it, is given the environment: others cannot drive it."""
    method = getattr(owner, name, None)
    if not callable(method):
        return False
    given = (*inspect.signature(method).parameters, *inspect.signature(owner).parameters)
    return any(each.lower() in LOOP["env"] for each in given)


def with_arguments(
    function: Callable[..., Any], name: str, known: Mapping[str, tuple[str, ...]], bound: bool = False, makes: bool = False
) -> Call:
    """Call of a function by keywords, in which each parameter is what its name says.

    Of what ``makes`` an agent a letter that has a value of its own keeps it: a count ``N=0`` is no number of episodes. A float
    may be delta. What is called in a run gets all that it names, as in ``act(s, h=0)``.

    Raises
    ------
    UsageError
        As `guessed`.
    """
    meaning = {key.lower(): key for key in known} | {other: key for key, others in known.items() for other in others}
    parameters = list(inspect.signature(function).parameters.values())[1 if bound else 0 :]
    told = []
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        key = meaning.get(parameter.name.lower())
        letter = len(parameter.name) == 1 and parameter.name not in PLAIN
        if makes and letter and parameter.default is not parameter.empty and not isinstance(parameter.default, float):
            key = None
        if key is not None:
            told.append(key if parameter.kind is parameter.POSITIONAL_ONLY else f"{parameter.name}={key}")
        elif parameter.default is parameter.empty:
            raise UsageError(
                f"it cannot be guessed what {parameter.name!r} of {name}{inspect.signature(function)} is; write the call, with "
                f"{', '.join(known)} for what it is given"
            )
    return Call(f"{name}({', '.join(told)})")
