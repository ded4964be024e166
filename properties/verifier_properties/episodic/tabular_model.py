"""Empirical models of tabular MDPs and their bonuses, replayed from the transcript; sums over visits.

Views: `verifier_settings.episodic.Phases` and `Run`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray
from verifier.formulas.expression import Expression, evaluate, names_in, tree_of
from verifier.formulas.quantity import Quantity
from verifier.formulas.rounding import rounding_of
from verifier.formulas.scope import Scope
from verifier.model.property import Property
from verifier.model.statement import at_most, identity
from verifier_properties.any_setting.published import published
from verifier_settings.episodic import Phases, Public, Run, bonuses

TOPIC = "Confidence"

Term = Callable[[Phases], Array]


@dataclass(frozen=True)
class Model:
    """Counts and frequencies, from the transcript.

    Parameters
    ----------
    visits : callable
        Maps phases to N, shape (p, 1 or H, X): the axis of steps is 1 where it is the same at all of them.
    kernel : callable
        To Phat, with a last axis of states.
    field : str
        The plan field in which an algorithm reports its Phat.
    reward : callable
        To the rewards planned with, broadcasting against (p, H, X): r(s,a) for algorithms that know it.
    reported_visits, reported_reward : str
        The plan fields of its N, and of its rewards where it does not know them.
    """

    visits: Term
    kernel: Term
    field: str
    reward: Term = lambda view: view.truth.reward
    reported_visits: str = "visits"
    reported_reward: str = ""

    def reported_kernel(self, view: Phases) -> Array:
        """(p, 1 or H, X, S) the Phat a plan reports."""
        return _over_steps(view.reported(self.field), 3)

    def reported_error(self, view: Phases) -> Array:
        """(p, H, X) (Phat - P) V*_{h+1} of the Phat a plan reports."""
        return view.error_of(view.given_kernel if self.field == "kernel" else view.reported(self.field))


def _over_steps(array: Array, axes: int) -> Array:
    """Array with an axis of steps behind the first one, which pooled arrays have not; `axes` is how many these have."""
    return array[:, None] if array.ndim == axes else array


POOLED = Model(lambda view: view.visits[:, None], lambda view: view.kernel[:, None], "kernel")
"""Over all steps: the kernel is the same at all."""
BY_STEP = Model(lambda view: view.step_visits, lambda view: view.step_kernel, "step_kernel", reported_visits="step_visits")
"""Model of each step, which has a kernel of its own."""


def log_term(S: float, A: float, T: float, delta: float) -> Any:
    """L = ln(5SAT/δ)."""
    return np.log(5 * S * A * T / delta)


@dataclass(frozen=True, eq=False)
class Bonus:
    """Formula of a bonus, in quantities of the widths handed out and of the transcript.

    Parameters
    ----------
    formula : callable
        Function of quantities by their names.
    define : mapping of str to callable
        Symbols in it that are short for formulas.
    local : tuple of Quantity
        Quantities in it that the view does not have.
    visits : str
        The quantity that counts the visits it is of.
    reward, backup : str
        The quantities that a backup of this model adds up.
    """

    formula: Callable[..., Any]
    define: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    local: tuple[Quantity, ...] = ()
    visits: str = "N"
    reward: str = "r"
    backup: str = "PV_hat"

    def value(self, view: Phases) -> Array:
        """(p, H, X) the bonuses; infinite where nothing was seen."""
        return view.once(self._value)

    def rounding(self, view: Phases) -> Array:
        """(p, H, X) their rounding; 0 where nothing was seen."""
        return view.once(self._rounding)

    def _value(self, view: Phases) -> Array:
        tree, scope = self._on(view)
        seen = view.once(_seen, self)
        shape = (len(view.plans), view.public.H, view.public.X)
        # An agent that asked for no width has no bonus that is known, at pairs that were not seen either.
        unseen = np.where(np.isnan(scope.values["w"]), np.nan, np.inf) if "w" in scope.values else np.inf
        return np.where(seen, np.broadcast_to(evaluate(tree, scope.values), shape), unseen)

    def _rounding(self, view: Phases) -> Array:
        tree, scope = self._on(view)
        return np.where(view.once(_seen, self), rounding_of(tree, scope.values, scope.roundings), 0.0)

    def _on(self, view: Phases) -> tuple[Expression, Scope]:
        tree = tree_of(self.formula, self.define)
        names = ("Q", *names_in(tree), self.visits)  # the axes of Q: plan, step and pair
        return tree, Scope(view, names, {item.name: item for item in self.local})


def _seen(view: Phases, bonus: Bonus) -> BoolArray:
    """(p, 1 or H, X) where something was seen."""
    scope = Scope(view, ("Q", bonus.visits), {item.name: item for item in bonus.local})
    return np.asarray(scope.value(bonus.visits) > 0)


def _regret_of_next(view: Phases) -> Array:
    """(p, H, X) sum_y Phat(y) min(100^2 H^3 S^2 A L^2 / N'(y), H^2), the last mean of Algorithm 4."""
    public, L = view.public, bonuses.log_term(view.public)
    with np.errstate(divide="ignore"):
        regret = np.minimum(1e4 * public.H**3 * public.S**2 * public.A * L**2 / view.arrivals, public.H**2)
    return bonuses.expected(view.kernel[:, None], regret)


def _rounding_of_regret(view: Phases) -> Array:
    """(p, 1, X) relative rounding of that mean, which is at most H^2."""
    return 32 * EPS * (view.public.S + view.visits[:, None]) * view.public.H**2


REGRET = Quantity(
    _regret_of_next, "E_regret", "plan h pair", "Ê[min(100²H³S²AL²/N′_{h+1}, H²)]",
    low=0.0, high=lambda view: view.public.H**2, rounding=_rounding_of_regret,
)  # fmt: skip

STEP = Quantity(lambda view: np.arange(1.0, view.public.H + 1), "h", "h", "h", 1.0, lambda view: float(view.public.H))
"""The step, from 1 on, which bounds may depend on."""

HOEFFDING = Bonus(lambda w, N: w / np.sqrt(N))
"""width / sqrt(N)."""
BERNSTEIN = Bonus(
    lambda w, L, H, N, Var_hat, E_regret: w * (
        np.sqrt(8 * L * Var_hat / N) + 14 * H * L / (3 * N) + np.sqrt(8 * E_regret / N)
    ),
    define={"L": log_term},
    local=(REGRET,),
)  # fmt: skip
"""width times the bonus of Algorithm 4."""
HOEFFDING_BY_STEP = Bonus(lambda w, N_h: w / np.sqrt(N_h), visits="N_h", backup="PV_hat_h")
"""width / sqrt(N_h), of the visits at each step."""


@identity("visits", on=Phases)
def visits(N: Any) -> Any:
    """N_k(s,a) of every plan against the visits of earlier episodes, at any step: counts, which add without an error."""
    return N


@identity("kernel", on=Phases, where="N > 0")
def kernel(P_hat: Any) -> Any:
    """Phat_k of every plan against the frequencies of earlier episodes, where N_k(s,a) > 0."""
    return P_hat


@identity("step_visits", on=Phases)
def step_visits(N_h: Any) -> Any:
    """N_{k,h}(s,a) of every plan against the visits of earlier episodes at that step: counts, which add without an error."""
    return N_h


@identity("step_kernel", on=Phases, where="N_h > 0")
def step_kernel(P_hat_h: Any) -> Any:
    """Phat_{k,h} of every plan against the frequencies of earlier episodes at that step, where N_{k,h}(s,a) > 0."""
    return P_hat_h


@identity("reward", on=Phases, where="N > 0", name="reward")
def rewards(r_hat: Any) -> Any:
    """The estimated rewards of every plan against the mean of those seen, r(s,a) without noise; where N_k(s,a) > 0."""
    return r_hat


def bonus_formula(bonus: Bonus, description: str, width: str = "1.0") -> Property:
    """The bonuses a plan reports against their formula, where N_k(s,a) > 0; `description` says how that is evaluated.

    A bonus above H may be reported as H: values are cut there, so that both give the same Q. `width` is the formula of which the
    width is a multiple, such as ``"7 * H * L"``, with L = ln(5SAT/δ).
    """
    made: Property = identity(
        "bonus", bonus.formula, on=Phases, where=f"{bonus.visits} > 0", cap="H", local=bonus.local,
        define={**bonus.define, "L": log_term}, made_of={"w": width}, name="bonus-formula", description=description,
    )  # fmt: skip
    return made


def q_formula(
    bonus: Bonus, *, monotone: bool = True, width: str = "1.0", reward: str | None = None, cap: str = "H", unseen: str = "H"
) -> Property:
    """Q_h against min(previous Q_h, cap, r + Phat V_{h+1} + bonus), and another value where nothing was seen.

    All from the transcript but V and the previous Q, which are the plans'. Texts are expressions of quantities, of which ``h`` is
    the step from 1 on: ``"H - h + 1"`` is the number of rewards that are left.

    Parameters
    ----------
    bonus : Bonus
    monotone : bool
        Whether the previous Q takes part; it is H before the first plan.
    width : str
        As of `bonus_formula`.
    reward : str, optional
        What is added: ``"r"`` where rewards are known, ``"r_hat"`` for the mean of those seen, "" for none; that of the bonus by
        default.
    cap : str
        What values are cut at; "" where nothing is cut.
    unseen : str
        Value of a pair that was not seen.

    Examples
    --------
    >>> formula = q_formula(HOEFFDING_BY_STEP, monotone=False, reward="r_hat", cap="H - h + 1", unseen="H - h + 1")
    >>> formula.function.text()
    'Q = min(r̂ + P̂_h V_{h+1} + b, H − h + 1) where N_h > 0, else H − h + 1'
    """
    terms = (bonus.reward if reward is None else reward, bonus.backup, "b")
    value = " + ".join(filter(None, terms))
    for limit in (cap, "Q_before" if monotone else ""):
        value = f"cut({value}, {limit})" if limit else value
    made: Property = identity(
        "Q", f"where({bonus.visits} > 0, {value}, {unseen})", on=Phases, local=(*bonus.local, STEP),
        define={**bonus.define, "b": bonus.formula, "L": log_term}, made_of={"w": width},
        reported={"b": "bonus"}, name="q-formula", topic=TOPIC,
        description="Q of every plan, from counts and bonuses recomputed from the transcript, and V of the plan.",
    )  # fmt: skip
    return made


@at_most("Q", on=Phases, topic="Planning", local=(Quantity(lambda view: view.Q, "Q", "plan h s a", "", -np.inf, "H"),))
def monotone(Q_before: Any) -> Any:
    """Q_{k,h}(s,a) of every plan against that of the plan before it, H before the first."""
    return Q_before


# Counting -----------------------------------------------------------------------------------------------------------


def visit_sum_bound(public: Public, stale: int = 2) -> float:
    """stale H S A + 2 sqrt(stale) sqrt(S A T).

    Of plans made in every episode `stale` is 2. In the episodes in which N_k(s,a) < H, the pair is visited fewer than 2H times in
    all. In the others an episode adds at most H <= N_k visits, so 1/N_k is at most 2 over the number of visits so far, and
    sum_{n <= N} 1/sqrt(n) <= 2 sqrt(N); Cauchy-Schwarz over the pairs.

    Of plans kept until the visits of some pair have doubled it is 3. While a plan is in force, a pair is visited at most
    max(1, N_k) + H - 1 times: fewer than max(1, N_k) before the last episode. So it is visited at most H - 1 + 2H - 2 times, or
    once where H = 1, while N_k < H, and where N_k >= H the visits so far are fewer than 3 N_k.
    """
    pairs = public.S * public.A
    return stale * public.H * pairs + 2 * float(np.sqrt(stale * pairs * public.T))


def theorem_log(public: Public, K: float) -> float:
    """L = ln(5 H S A T / delta) of Theorems 1 and 2 of Azar et al. 2017; their bonuses have no H in it."""
    return float(np.log(5 * public.H * public.S * public.A * K * public.H / public.delta))


def hoeffding_regret(public: Public, K: float) -> float:
    """Theorem 1 of Azar et al. 2017: 20 H^{3/2} L sqrt(SAK) + 250 H^2 S^2 A L^2."""
    S, A, H, L = public.S, public.A, public.H, theorem_log(public, K)
    return 20 * H**1.5 * L * float(np.sqrt(S * A * K)) + 250 * H**2 * S**2 * A * L**2


def visit_sum(stale: int = 2) -> Property:
    """sum_{k,h} 1/sqrt(max(1, N_k(s,a))) of the counts the plans report; `stale` as in `visit_sum_bound`."""
    total = Quantity(
        lambda view: (1.0 / np.sqrt(np.maximum(view.series.reported_visits, 1.0))).sum(), "total", "", "Σ_{k,h} 1/√max(1, N_k)",
        0.0, "T", lambda view: 8 * EPS * view.public.T**1.5,
    )  # fmt: skip
    return published(
        total, lambda view: visit_sum_bound(view.public, stale), f"{stale}HSA + 2√({stale}SAT)", on=Run, needs=("visits",),
        name="visit-sum", topic="Potential",
        description="The sum over the steps played, of the counts in force, against stale H S A + 2 sqrt(stale S A T).",
    )  # fmt: skip


REPLACEABLE = ("kernel", "bonus")
"""Fields in whose place statements about a bonus take the frequencies of the transcript, and the bonus that Q implies."""


def model_slack(view: Run) -> Array:
    """(K, H) what a step of the regret adds: bonus + (Phat - P) V_{h+1} at the visited pair, or H where nothing was seen."""
    series = view.series
    return np.where(series.seen, series.added + series.model_error, float(view.public.H))
