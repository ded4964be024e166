from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.cvar import cvar as cvar_of_floats
from verifier.errata import WIDTH, errata_text
from verifier.erratum import Refutation
from verifier.registry import Registry, registry
from verifier.settings.cvar import Instance, augmented
from verifier.settings.cvar.augmented import Grid
from verifier.settings.cvar.simulator import Simulator
from verifier.width import Width
from verifier_cvar import constants
from verifier_cvar.cvar_lsvi import CVaRLSVI
from verifier_cvar.ela import ELA
from verifier_cvar.ella import ELLA
from verifier_cvar.errata import ERRATA
from verifier_cvar.errata.likelihood import Coins
from verifier_cvar.errata.lock import ENTER, START, STAY, Lock
from verifier_cvar.errata.optimism import FirstIteration, OneStepBack, fork
from verifier_cvar.errata.outputs import beyond, cvar, mixture
from verifier_cvar.errata.planning import Bonuses, SureReward, one_step
from verifier_cvar.least_squares import CVaRLeastSquares

from ...settings.cvar.runs import generator, play, small_instances

BY_NAME = {erratum.name: erratum for erratum in ERRATA}
CLAIMS = {f"{algorithm.name}/{claim.name}" for algorithm in (ELA, ELLA, CVaRLSVI) for claim in algorithm.claims}


def refutation(name: str) -> Refutation:
    return BY_NAME[name].counterexample()


# Every erratum


@pytest.mark.parametrize("name", BY_NAME)
def test_the_counterexample_refutes_what_is_printed_and_satisfies_what_is_corrected(name: str) -> None:
    found = refutation(name)
    assert found.printed_holds is False
    assert found.corrected_holds is True
    assert found == refutation(name)


def test_names_are_unique_and_claims_are_named() -> None:
    assert len(BY_NAME) == len(ERRATA) == 11
    assert {claim for erratum in ERRATA for claim in erratum.claims} <= CLAIMS


def test_all_errata_fit_the_screen() -> None:
    algorithm = type("Shown", (ELA,), {"name": "shown", "errata": classmethod(lambda cls: ERRATA)})
    text, confirmed = errata_text(Registry(algorithms={"shown": algorithm}, plugin_of={"shown": ("shelf", "1")}), "shown")
    assert confirmed
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "…" not in text
    assert f"{len(ERRATA)} of {len(ERRATA)} counterexamples" in text


def test_the_algorithms_are_registered() -> None:
    assert {"ela", "cvar-lsvi"} <= set(registry().algorithms)


# The cap at H = 3


def test_the_fork_by_its_occupancies() -> None:
    instance = fork()
    public, truth = instance.public, instance.truth
    assert truth.fine.cvar == 1.0
    assert instance.kernel_residual.max() == 0.0
    assert instance.feature_norm.max() == 1.0
    assert instance.measure_norm.max() <= math.sqrt(public.d)
    f = np.abs(public.kernels[0] - truth.P).sum(axis=-1)
    start = np.array(truth.fine.budget)
    best = augmented.masses(public.kernels[0], public.reward, truth.fine.policy, start, 0, public.fine, public.S).sum(axis=-1)
    assert public.H * float(best[1] @ f[1]) == 6.0
    assert best[0, 0] == 1.0
    uniform = augmented.masses(truth.P, public.reward, None, start, 0, public.fine, public.S).sum(axis=-1)
    assert float(uniform[1] @ f[1] ** 2) == 1.0  # rho_2 and eta_2 are the same after one uniform iteration
    assert (f[0] == 0).all()


def test_the_bonus_of_the_fork_from_its_data() -> None:
    """D_1 has action 1 once; the other data are at state 3, or at the fork with action 1."""
    instance = fork()
    public, found = instance.public, FirstIteration.of(instance)
    agent = ELA(public, Width(lambda of, step, target: found.alpha), clip="corrected")
    agent.D[0, 1, 3] = 1.0
    agent.Dt[0, 0, 1] = 1.0
    agent.D[1, 3, 3] = agent.Dt[1, 7, 3] = 1.0
    likelihoods = [(public.log_kernels[i] * (agent.D + agent.Dt).reshape(2, -1)).sum() for i in range(2)]
    assert likelihoods[0] == likelihoods[1]
    assert not (public.excluded[0] * (agent.D + agent.Dt).reshape(2, -1)).any()
    gram = agent.covariance(public.phi[0, 0], 0)
    assert agent.bonus(public.phi[0, 0], gram, 0)[0] == found.bonus(6.0) == 6.0
    agent.clip = "printed"
    assert agent.bonus(public.phi[0, 0], gram, 0)[0] == found.bonus(2.0) == 2.0


# One step back

PROBABILITIES = st.integers(0, 1000).map(lambda i: Fraction(i, 1000))


def sides(case: OneStepBack) -> tuple[float, float]:
    """Both sides by matrices: state 0 is the indicator of g, one action, rho = eta = the only pair."""
    learned, true = (np.array([[float(p), 1 - float(p)]]) for p in (case.learned, case.true))
    phi, g = np.ones((1, 1)), np.array([1.0, 0.0])
    gram = case.k * phi.T @ phi + case.L * np.eye(1)
    norm = math.sqrt(float((phi @ np.linalg.inv(gram) @ phi.T)[0, 0]))
    f = np.abs(learned - true).sum()
    assert f == pytest.approx(float(case.f))
    return float((learned @ g)[0]), norm * math.sqrt(case.k * float((true @ g**2)[0]) + case.L * 1 + case.k * case.zeta)


@given(PROBABILITIES, PROBABILITIES, st.integers(1, 10**6))
def test_one_step_back_by_matrices(learned: Fraction, true: Fraction, k: int) -> None:
    case = OneStepBack(k, 12.0, learned, true)
    assert sides(case) == pytest.approx((float(learned), case.printed))


@given(PROBABILITIES, PROBABILITIES, st.integers(1, 10**6), st.floats(0.1, 30))
def test_the_corrected_inequality_holds_under_the_event(learned: Fraction, true: Fraction, k: int, L: float) -> None:
    case = OneStepBack(k, L, learned, true)
    if float(case.f**2) <= case.zeta:
        assert float(case.learned) <= case.corrected + 1e-12
    if float(case.f) <= case.zeta:  # the condition (32) without a square
        assert float(case.learned) <= case.printed + 1e-12


# The lock


def test_the_plans_by_hand() -> None:
    """Safety: (H-3) pay and all its bonuses; the lock: entering, the room twice without data, then the trap."""
    lock = Lock()
    for k, cap in product((3, 300, 3 * 10**6), (2.0, 28.0)):
        instance = lock.instance(k)
        b = lock.bonuses(instance, cap)
        rest, fall = b[:, 3 * 2 + 0], b[:, 3 * 3 + 0]
        stay = 11 * 0.8 + b[0, 0] + rest[1:].sum()
        enter = b[0, 1] + b[1, 1] + b[2, 3] + fall[3:].sum()
        found = lock.objectives(instance, b)
        assert found[ENTER] == pytest.approx(enter)
        assert found[STAY] >= stay - 1e-9
        assert found[STAY] == pytest.approx(stay)
        assert (b[12:] == 0).all()


def test_what_the_lock_is_worth() -> None:
    lock = Lock()
    truth = lock.first.truth
    assert truth.fine.cvar == 11.0
    Q = augmented.action_values(truth.fine.V[1], truth.P, lock.first.public.reward, None, 0, truth.fine.grid)
    worth = (truth.fine.grid.levels - Q[START]).max(axis=-1)
    assert worth == pytest.approx([8.8, 11.0, 0.0])
    assert float(lock.gap) == pytest.approx(11.0 - worth[STAY])
    assert float(lock.gap) == pytest.approx(2.2)


BASES = st.lists(st.tuples(st.integers(0, 10**6), st.integers(-10, 60), st.integers(0, 10**6)), min_size=12, max_size=12)


@settings(max_examples=60, deadline=None)
@given(st.floats(0.0, 1e5), BASES)
def test_balanced_counts_keep_the_plan_in_safety(alpha: float, bases: list[tuple[int, int, int]]) -> None:
    """Any alpha, any counts for which no comparison fails: staying is better in the decoy."""
    lock = Lock()
    public = lock.first.public
    phi, b = public.phi[0], np.zeros((14, 12))
    for h, (more, offset, other) in enumerate(bases):
        less = max(more + offset, 0)
        assert public.ridge + less > lock.balance * (public.ridge + more)
        rows = phi[0, :3] if h == 0 else phi[h, 6:9]
        N = np.array((less, more, other) if h == 0 else (more, less, other), dtype=float)  # rest, enter, fall; rest, fall, both
        gram = public.ridge * np.eye(3) + (rows.T * N) @ rows
        b[h] = np.minimum(alpha * np.sqrt(((phi[h] @ np.linalg.inv(gram)) * phi[h]).sum(axis=1)), 2.0)
    stay, enter = lock.objectives(lock.first, b)
    assert stay > enter


def ever_unbalanced(r: float, ridge: float, flips: int) -> float:
    """P(lambda + N <= r (lambda + N') for some number of fair flips), by dynamic programming."""
    alive, total = np.ones(1), 0.0  # by the number N' of heads
    for n in range(1, flips + 1):
        alive = (np.append(alive, 0.0) + np.append(0.0, alive)) / 2
        heads = np.arange(n + 1)
        out = ridge + (n - heads) <= r * (ridge + heads)
        total += float(alive[out].sum())
        alive[out] = 0.0
    return total


@pytest.mark.parametrize("ridge", [5.0, 10.0, 23.8])
def test_villes_bound_is_above_the_exact_probability(ridge: float) -> None:
    lock = Lock()
    exact = 10 * ever_unbalanced(lock.balance, ridge, 2000)
    assert 0 < exact <= lock.unbalanced(ridge)
    assert lock.unbalanced(ridge) <= 4 * exact  # the overshoot only


def test_the_root_of_villes_supermartingale() -> None:
    lock = Lock()
    r = lock.balance
    theta = -math.log(lock.unbalanced(1.0) / 10) / (1 / r - 1)
    assert math.exp(theta) + math.exp(-theta / r) == pytest.approx(2.0, abs=1e-9)
    assert theta > 0.3


def test_iteration_one_by_its_trajectories() -> None:
    instance = Lock().first
    public = instance.public
    masses = augmented.masses(instance.truth.P, public.reward, None, np.array(0), 0, public.fine, public.S).sum(axis=-1)
    room = masses[2].reshape(4, 3).sum(axis=1)[1]
    assert room == pytest.approx(1 / 9)
    assert float(Lock().unseen) == pytest.approx((1 - room) ** 2)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_ela_with_the_printed_cap_never_enters(seed: int) -> None:
    """For these seeds iteration 1 does not show the room; at least 78 % of all seeds are like this."""
    lock = Lock()
    _, run = play(ELA, lock.instance(100), "published[clip=printed]", seed, batch=10**6)
    assert run.series.gap == pytest.approx(np.full(100, 2.2))


def test_ela_with_the_corrected_cap_learns() -> None:
    """With a tenth of alpha, so that it takes few iterations."""
    lock = Lock()
    _, run = play(ELA, lock.instance(300), "scaled(0.1)", 0, batch=10**6)
    _, printed = play(ELA, lock.instance(300), "scaled(0.1)[clip=printed]", 0, batch=10**6)
    assert run.series.gap.min() == pytest.approx(0.0, abs=1e-9)
    assert printed.series.gap.min() == pytest.approx(2.2)


# Maximum likelihood


def winners(samples: np.ndarray, eps: Fraction) -> bool:
    """Whether some decoy has a larger likelihood than the truth; samples (n, m) of -1 and 1."""
    for i, s in product(range(samples.shape[1]), (-1, 1)):
        ratio = math.prod((1 + eps * int(s * x) for x in samples[:, i]), start=Fraction(1))
        if ratio > 1:
            return True
    return False


@pytest.mark.parametrize(("m", "n", "eps"), [(1, 6, Fraction(2, 5)), (2, 5, Fraction(3, 4)), (3, 4, Fraction(1, 10))])
def test_errors_of_coins_by_all_samples(m: int, n: int, eps: Fraction) -> None:
    wins = sum(winners(np.array(flat).reshape(n, m), eps) for flat in product((-1, 1), repeat=m * n))
    assert 1 - (1 - Coins(m, eps).beaten(n)) ** m == Fraction(wins, 2 ** (m * n))
    assert Coins(m, eps).error(n) == pytest.approx(wins / 2 ** (m * n))


@pytest.mark.parametrize(("m", "first", "last"), [(1, 1, 4), (1, 3, 5), (2, 2, 3)])
def test_errors_at_any_time_by_all_paths(m: int, first: int, last: int) -> None:
    eps, n = Fraction(3, 4), 2 * last
    wins = sum(
        any(winners(np.array(flat).reshape(n, m)[: 2 * k], eps) for k in range(first, last + 1))
        for flat in product((-1, 1), repeat=m * n)
    )
    assert Coins(m, eps).error_ever(first, last) == pytest.approx(wins / 2 ** (m * n))


def test_decoys_are_laws_at_distance_eps() -> None:
    eps = Fraction(2, 5)
    law = [(1 + eps * s[1]) / 8 for s in product((-1, 1), repeat=3)]
    assert sum(law) == 1
    assert sum(abs(p - Fraction(1, 8)) for p in law) == eps


def test_hellinger_distances_and_the_constant_eight() -> None:
    """f^2 <= 8 D^2, with a ratio near 8 for near laws: the constant cannot be improved this way."""
    for eps in (0.01, 0.4, 0.75, 1.0):
        squared = 1 - (math.sqrt(1 + eps) + math.sqrt(1 - eps)) / 2
        assert eps**2 <= 8 * squared
    assert 0.01**2 / (1 - (math.sqrt(1.01) + math.sqrt(0.99)) / 2) == pytest.approx(8.0, rel=1e-3)


@pytest.mark.parametrize("m", [10, 1000, 10**6])
def test_the_corrected_bound_holds_with_its_probability(m: int) -> None:
    """4 log(|F|/delta)/k, at the least eps beyond it; for the union over k, from the first such k on."""
    delta, k = 0.1, 200
    f2 = 4 * math.log((2 * m + 1) / delta) / k
    assert Coins(m, Fraction(math.ceil(1000 * math.sqrt(f2)), 1000)).error(2 * k) <= delta


# What is returned


@st.composite
def laws(draw: st.DrawFn) -> dict[Fraction, Fraction]:
    weights = draw(st.lists(st.integers(0, 9), min_size=3, max_size=6).filter(any))
    return {Fraction(i, 2): Fraction(w, sum(weights)) for i, w in enumerate(weights)}


LEVELS = st.integers(1, 20).map(lambda i: Fraction(i, 20))


@given(laws(), LEVELS)
def test_cvar_in_fractions_and_in_floats(law: dict[Fraction, Fraction], tau: Fraction) -> None:
    values, chances = np.array([float(x) for x in law]), np.array([float(p) for p in law.values()])
    assert float(cvar(law, tau)) == pytest.approx(cvar_of_floats(values, chances, float(tau)), abs=1e-9)


@given(st.lists(laws(), min_size=1, max_size=4), LEVELS)
def test_a_mixture_is_no_better_than_the_average(some: list[dict[Fraction, Fraction]], tau: Fraction) -> None:
    mixed = mixture(some)
    assert sum(mixed.values()) == 1
    average = sum((cvar(law, tau) for law in some), Fraction(0)) / len(some)
    assert cvar(mixed, tau) <= average
    if tau == 1:
        assert cvar(mixed, tau) == average


@pytest.mark.parametrize("K", [1, 7, 40, 401])
def test_gaps_of_the_order_of_the_regret(K: int) -> None:
    gaps = 1 / np.sqrt(np.arange(1, K + 1))
    assert gaps.sum() <= 2 * math.sqrt(K)
    for times in (1, 2, 10):
        assert float(beyond(K, Fraction(times))) == pytest.approx((gaps > times * 2 / math.sqrt(K) * (1 + 1e-12)).mean())


# Planning


@pytest.mark.parametrize("n", [0, 1, 5])
def test_the_state_after_n_episodes_by_simulation(n: int) -> None:
    problem = Bonuses()
    model = problem.model
    regression = CVaRLeastSquares(model, lambda h, V: 3.0, 1.0, -8.0)
    simulator = Simulator(np.ones((7, 2, 1)), model.reward, model.grid, 0, generator(0))
    for _ in range(n):
        regression.learn(simulator.trajectory(regression.plan().policy, 0))
    plan, found = regression.plan(), problem.after(n, -8.0, 3.0)
    np.testing.assert_array_equal(plan.V, found.V)
    np.testing.assert_array_equal(plan.policy, found.policy)


@pytest.mark.parametrize(("n", "floor"), [(0, -8.0), (10**4, -8.0), (10**4, -12.0)])
def test_the_estimates_by_scalars(n: int, floor: float) -> None:
    problem, beta = Bonuses(), constants.beta(8, 1, 1.0, n + 1, 0.1)
    V = 0.0
    for h in reversed(range(8)):
        shrunk = n / (n + 1) * V - beta / math.sqrt(n + 1)
        V = min(min(max(shrunk - b, floor), 8.0) for b in problem.model.bonus[h])
    assert problem.after(n, floor, beta).V[0, 0, 0] == pytest.approx(V)


def test_the_least_value_by_dynamic_programming() -> None:
    problem = Bonuses()
    V, _ = augmented.optimal(np.ones((7, 2, 1)), problem.model.reward, problem.model.bonus, problem.model.grid, 1)
    assert V[0, 0, 0] == problem.least == -12.0


@given(st.integers(0, 10**9), st.floats(0.0, 1e6))
def test_a_clip_above_v_is_above_it_for_every_beta(n: int, beta: float) -> None:
    problem = Bonuses(5)
    assert problem.least == -6.0
    assert problem.excess(problem.after(n, -5.0, beta)) >= 1.0


@given(st.integers(0, 10**9), st.floats(1.0, 1e3))
def test_a_lower_clip_is_optimistic_for_a_beta_that_covers_the_ridge(n: int, times: float) -> None:
    """The only error is that of the ridge, |V| sqrt(n+1)/(n+1) <= 12/sqrt(n+1) <= beta in the norm of Lambda."""
    problem = Bonuses()
    assert problem.excess(problem.after(n, -12.0, 12.0 * times)) <= 1e-9


def test_one_step_by_hand() -> None:
    """At first both are at -1. Then Q(0) = 1/2 - 1/sqrt 2 > -1 = Q(1): action 1, and from then on always."""
    assert list(one_step(6)) == [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("tau", [0.3, 1.0])
@pytest.mark.parametrize(("m", "q"), [(10, 3), (5, 2), (12, 5), (3, 2), (2, 1), (7, 3)])
def test_sure_rewards_by_dynamic_programming(m: int, q: int, tau: float) -> None:
    case, grid = SureReward(2, Fraction(q, m)), Grid(2, m, q)
    law = np.zeros((2, 1, m + 1))
    law[..., m] = 1.0
    V, _ = augmented.optimal(np.ones((1, 1, 1)), grid.round_up(law), None, grid, 1)
    objective = grid.levels - V[0, 0] / tau
    assert grid.initial == case.indices[1]
    assert case.indices[2] == grid.N
    for largest in case.indices:
        assert objective[: largest + 1].max() == pytest.approx(float(case.objective(largest)))
    assert float(case.rounded) == pytest.approx(objective.max())
    assert case.objective(case.indices[1]) - case.H >= 0
    assert case.H - case.objective(case.indices[0]) <= case.ups


@settings(max_examples=60, deadline=None)
@given(small_instances())
def test_which_budgets_are_enough(instance: Instance) -> None:
    """Up to ceil(H/ups) the objective of the rounded problem is at least CVaR*; up to floor(H/ups), up to ups may be missing."""
    public, truth = instance.public, instance.truth
    objective, slack = truth.coarse.objective, 1e-9
    assert objective[: public.coarse.initial + 1].max() >= truth.fine.cvar - slack
    assert objective[: public.H * public.m // public.q + 1].max() >= truth.fine.cvar - public.ups - slack
    assert objective.max() >= objective[: public.coarse.initial + 1].max()


def test_float_ceilings_are_not_to_be_trusted() -> None:
    assert math.floor(0.3 / 0.1) == 2
    assert math.ceil(0.3 / 0.1) == 3
    assert math.ceil((5 / 6) / (1 / 6)) == 6
    assert int(Grid(1, 6).rounded(5)) == 5
