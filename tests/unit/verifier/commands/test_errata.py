from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from verifier import Guarantees
from verifier.base.errors import PluginError, UsageError
from verifier.commands.errata import collect, errata
from verifier.model.erratum import Erratum, Grade, Refutation
from verifier.plugins import guard
from verifier.plugins.registry import Broken, Registry, registry
from verifier_ucblvd.errata import ERRATA
from verifier_ucblvd.errata.estimates import extrapolation
from verifier_ucblvd.errata.numbers import rank
from verifier_ucblvd.errata.program import distilled
from verifier_ucblvd.errata.tasks import bound, play

BY_NAME = {erratum.name: erratum for erratum in ERRATA}


def refutation(name: str) -> Refutation:
    return BY_NAME[name].counterexample()


def test_the_algorithms_of_the_paper_declare_them() -> None:
    assert [erratum.name for found in collect(registry(), ("lifelong",)).values() for erratum in found] == list(BY_NAME)


# The numbers, computed another way


def test_three_contexts_leave_half_of_the_horizon_over_two() -> None:
    f, rho = np.array([2.0, 0.0, 2.0]), np.array([[1, 0], [0, 1], [0.5, 0.5]])
    grid = np.stack(np.meshgrid(np.linspace(-1, 4, 501), np.linspace(-2, 3, 501)), axis=-1).reshape(-1, 2)
    assert np.abs(grid @ rho.T - f).max(axis=1).min() == pytest.approx(0.5)
    assert "1/2 ≤ 0" in refutation("finite-contexts").printed


def test_only_a_single_coefficient_of_one_keeps_clipping_linear() -> None:
    """The theorem behind `finite-contexts`: for other coefficients some t breaks clip(sum c t) = sum c clip(t)."""
    values = np.array([-3.0, -1.0, 0.5, 1.0, 2.0, 5.0])
    t = np.stack(np.meshgrid(values, values), axis=-1).reshape(-1, 2)
    for c in ([0.5, 0.5], [1.0, 1.0], [2.0, 0.0], [0.5, 0.0], [1.0, -0.5], [-1.0, 0.0]):
        assert np.abs(np.clip(t @ c, 0, 1) - np.clip(t, 0, 1) @ c).max() > 0.1
    assert np.abs(np.clip(t @ [1.0, 0.0], 0, 1) - np.clip(t, 0, 1) @ [1.0, 0.0]).max() == 0


def test_half_the_feature_doubles_the_parameter() -> None:
    assert refutation("measure-norm").printed == "‖θ‖ = 4 > H√d = 2"


def test_concatenated_vectors_of_the_rotation_have_rank_two() -> None:
    rows = np.array([[1, 0.8, 0.6 * (a == x)] for x in (0, 1) for a in (0, 1)])
    assert np.linalg.matrix_rank(rows) == 2
    assert np.abs(rows @ [1, -1.25, 0]).max() < 1e-15
    assert "3 > rank = 2" in refutation("concatenated-basis").printed


def test_exact_rank_agrees_with_numpy() -> None:
    from fractions import Fraction

    rng = np.random.default_rng(0)
    for _ in range(50):
        matrix = rng.integers(-1, 2, size=(rng.integers(1, 5), rng.integers(1, 5)))
        assert rank([[Fraction(int(x)) for x in row] for row in matrix]) == np.linalg.matrix_rank(matrix)


def test_ucblvd_on_two_alternating_tasks_ends_where_the_counterexample_says() -> None:
    """Algorithm 2 on the instance of `program-value` with beta = 3, which the error never exceeds."""
    beta, K, counts = 3.0, 20_000, np.zeros((2, 2))
    rho, planned, Q = np.array([[1.0, 0], [0, 1], [0.5, 0.5]]), None, np.zeros((2, 2, 3))
    fit = np.zeros((2, 3))
    for k in range(K):
        growth = np.log1p(counts).sum(axis=1)
        if planned is None or (growth - planned > 1).any():
            planned = growth
            bonus = 2 * beta / np.sqrt(counts + 1)
            Q[1] = rho.T + bonus[1][:, None]
            V = np.minimum(Q[1].max(axis=0), 2)
            fit = (counts[0] / (counts[0] + 1))[:, None] * V[:2] @ rho[:, :2].T  # theta^(j) = thetahat, Xi = Thetahat
            Q[0] = rho.T + fit + bonus[0][:, None]
            error = np.sqrt((1 / (counts[0] + 1)).sum()) * V.max()
            assert error <= beta
        for h in (0, 1):
            counts[h, Q[h, :, k % 2].argmax()] += 1
    assert counts.min() > 0.4 * K
    gap = np.abs(fit[:, 2] - V[2])
    assert (gap > 5 * bonus[0]).all()
    expected = distilled(9999, beta)
    assert np.abs(fit[:, 2] - expected["fit"]).max() < 0.05
    assert gap == pytest.approx([expected["fit"] - expected["truth"]] * 2, abs=0.02)


def test_program_value_by_hand() -> None:
    run = distilled(9999, 3.0)  # n + 1 = 10^4: bonus 6/100, V_2(w1) = 1.06, fit 0.9999 of it, truth 0.56
    assert run["bonus"] == pytest.approx(0.06)
    assert run["fit"] == pytest.approx(0.9999 * 1.06)
    assert run["truth"] == pytest.approx(0.56)
    assert run["error1"] == pytest.approx(math.sqrt(2) * 1.06 / 100)


def test_misspecified_step_by_hand() -> None:
    found = refutation("misspecified-step")
    assert f"{4 - math.sqrt(2):.4g} > {math.sqrt(2):.4g}" in found.printed  # 4 (1 - √2/4)
    xi = np.linspace(-math.sqrt(2), math.sqrt(2), 100_001)
    objective = (xi / 4 - 1) ** 2 + (xi / 4) ** 2
    assert xi[objective.argmin()] == pytest.approx(math.sqrt(2))
    assert np.maximum.reduce([abs(1 - xi / 4), abs(xi / 4), abs(1 - xi)]).min() == pytest.approx(1 - math.sqrt(2) / 4)


def test_extrapolation_from_the_raw_data() -> None:
    estimate, x, *_ = extrapolation(400, 0.1)
    features = np.vstack([np.tile([1.0, 0], (400, 1)), np.tile([0.9, 0.1], (400, 1)), np.eye(2)])
    tail = 0.1 / math.sqrt(801)
    targets = np.concatenate([np.full(400, 1 + tail), np.full(400, tail), np.zeros(2)])  # the ridge as two more rows
    assert estimate == pytest.approx(np.linalg.lstsq(features, targets, rcond=None)[0])
    assert x < -6
    assert np.linalg.norm(estimate) > 3 * math.sqrt(2)


def test_small_ridge_by_hand() -> None:
    beta = 10 * math.sqrt(1e-6 * math.log(800))
    assert (
        f"0.4871 and 0.9871 > β = {beta:.4g}" in refutation("small-ridge").printed
    )  # ((1 + beta) + 2)/2 - (1 + beta); (2 - beta)/2
    assert (1 - beta) / 2 == pytest.approx(0.4871, abs=1e-4)
    assert (2 - beta) / 2 == pytest.approx(0.9871, abs=1e-4)


def test_self_normalised_index_by_hand() -> None:
    assert 4 * (0.5 * math.log(101) + math.log(10)) == pytest.approx(18.44, abs=0.01)
    assert "100 > 18.44" in refutation("self-normalised-index").printed


def test_potential_index_by_hand() -> None:
    found = refutation("potential-index")
    bounds = [0, math.sqrt(4 * math.log(2)), math.sqrt(6 * math.log(4))]
    assert found.printed == "; ".join(f"{k} > {bound:.4g}" for k, bound in enumerate(bounds, 1))
    assert found.corrected.startswith(f"1 ≤ {math.sqrt(2 * math.log(2)):.4g}; 2 ≤ {math.sqrt(4 * math.log(4)):.4g}; ")


def test_hoeffding_of_the_adaptive_event_is_above_the_exact_tail() -> None:
    """Smaller sizes, where the exact binomial can be computed: fixed contexts fail rarely, the adaptive one always."""
    from scipy.stats import binom

    n, beta, bonus = 400, 5.0, 5 / math.sqrt(401)
    for p in (0.1, 0.5, 0.9):
        X = np.arange(n + 1)
        fails = np.abs((n + 1) * p + bonus - X) > beta * math.sqrt(n + 1)
        assert binom.pmf(X, n, p)[fails].sum() <= 2 * math.exp(-2 * (beta - 2) ** 2)
    assert ((n + 1) * 0.9 + bonus) / math.sqrt(n + 1) > beta
    assert refutation("adaptive-event").printed.startswith("P(E_2(w_K) fails) = 1 > δ = 0.01")


@pytest.mark.parametrize("adaptive", [True, False])
def test_algorithm_1_in_full_plays_as_its_counts_say(adaptive: bool) -> None:
    """Least squares on the transcript, state by state, with sampled next states; N so large that repeats hardly matter."""
    N, K, beta, rng = 10**6, 600, 2.0, np.random.default_rng(1)
    Lambda, risky, regret = np.eye(2), 0, 0.0
    features: list[np.ndarray[tuple[int, ...], np.dtype[np.float64]]] = []
    following: list[int] = []
    for k in range(1, K + 1):
        seen = {s for s in following if s > 0}
        unrewarded = {0, *seen} if adaptive else {0}
        V = [min(float(s not in unrewarded) + beta / math.sqrt(k), 2) for s in following]
        target = np.zeros(2) if not V else np.array(features).T @ np.array(V)
        inverse = np.linalg.inv(Lambda)
        estimate = inverse @ target
        Q = np.array([0, 0.5]) + estimate + beta * np.sqrt(np.diag(inverse))
        action = int(Q[1] > Q[0] + 1e-12)
        value = (1 - len(seen) / N if adaptive else 1.0, 0.5)
        regret += max(value) - value[action]
        risky += action == 0
        features.append(np.eye(2)[action])
        following.append(int(rng.integers(1, N + 1)) if action == 0 else 0)
        Lambda += np.outer(features[-1], features[-1])
    counted, expected = play(K, beta, N, adaptive=adaptive)
    assert risky == counted
    assert regret == pytest.approx(expected, abs=1e-2)
    assert counted <= 4 * beta**2 + 1 if adaptive else counted > 0.9 * K


def test_regret_against_the_adaptive_adversary_is_linear() -> None:
    (_, short), (_, long) = (play(K, 3.0, 10**12, adaptive=True) for K in (20_000, 80_000))
    assert long / short == pytest.approx(4, rel=0.01)
    assert bound(80_000, 3.0) / bound(20_000, 3.0) < 2.3


# The text


def erratum(name: str = "one", *, right: bool = True, statement: str = "1 ≤ 0", grade: Grade = Grade.FALSE) -> Erratum:
    numbers = Refutation("1 > 0", False, "0 ≤ 1", right, "x\n1")
    return Erratum(name, "eq. (1)", grade, statement, "because", "0 ≤ 1", ("a/b",), lambda: numbers)


def crashing() -> Erratum:
    def fail() -> Refutation:
        raise ValueError("no luck")

    return replace(erratum("crash"), counterexample=fail)


def shelf(*errata: Erratum, names: tuple[str, ...] = ("first", "second")) -> Registry:
    """A registry of algorithms that all declare the same errata."""
    base = registry().guarantees["lifelong-lsvi"].algorithm
    found = {name: Guarantees(type(name, (base,), {"name": name}), errata=errata) for name in names}
    return Registry(guarantees=found, plugin_of=dict.fromkeys(names, ("shelf", "1")))


@pytest.fixture
def screen() -> str:
    return errata(shelf(*ERRATA), ("lifelong",)).text


def test_what_several_algorithms_declare_is_listed_once() -> None:
    found = errata(shelf(erratum(), erratum("two")), ("lifelong",))
    text, confirmed = found.text, found.confirmed
    assert text.count("one  (eq. (1))") == text.count("two  (eq. (1))") == 1
    assert confirmed


def test_one_erratum_in_full() -> None:
    found = errata(shelf(erratum(), erratum("two")), ("lifelong",), "two")
    text, confirmed = found.text, found.confirmed
    assert text == (
        "Provably Efficient Lifelong RL with Linear Representation (ICLR 2023)\n"
        "1 statement: 1 false as printed\n\n"
        "two  (eq. (1))\n"
        "  grade         false as printed\n"
        "  printed       1 ≤ 0\n"
        "  why           because\n"
        "  corrected     0 ≤ 1\n"
        "  checked by    a/b\n"
        "  instance\n"
        "    x\n"
        "    1\n"
        "  as printed    FALSE: 1 > 0\n"
        "  as corrected  true: 0 ≤ 1\n\n"
        "1 of 1 counterexamples refute what is printed and satisfy what is corrected.\n"
    )
    assert confirmed


def test_a_counterexample_that_fails_or_crashes_is_not_confirmed() -> None:
    found = errata(shelf(erratum(right=False)))
    text, confirmed = found.text, found.confirmed
    assert not confirmed
    assert "FAILS" in text
    found = errata(shelf(crashing(), erratum()))
    text, confirmed = found.text, found.confirmed
    assert not confirmed
    assert "the counterexample failed: ValueError: no luck" in text
    assert "1 of 2 counterexamples" in text


def test_grades_are_counted_and_a_conclusion_that_does_not_follow_is_not_called_false() -> None:
    every = [erratum(grade.name.lower().replace("_", "-"), grade=grade) for grade in Grade]
    step = erratum("another", grade=Grade.STEP)
    text = errata(shelf(*every, step)).text
    assert "4 statements: 1 false as printed, 2 proof steps false, 1 not implied\n" in text
    assert text.count("as printed    FALSE: 1 > 0") == 3
    listed = text.partition("not implied\n\n")[2].partition("\n\n")[0].splitlines()
    assert len(listed) == 4  # a line for each, before what there is to say of them
    assert text.count("as printed    DOES NOT FOLLOW: 1 > 0") == 1


def found(**changes: Any) -> Refutation:
    return replace(Refutation("1 > 0", False, "0 ≤ 1", True, "x"), **changes)


COUNTEREXAMPLES: dict[str, tuple[Callable[[], Any], str]] = {
    "exits": (lambda: sys.exit(3), "the plugin raised SystemExit(3)"),
    "ends the process": (lambda: os._exit(3), "the plugin called os._exit(3), which would end the command"),
    "hangs": (lambda: time.sleep(30), "did not finish within 1 s; make it faster"),
    "no refutation": (lambda: "1 > 0", "it returned a str, expected verifier.model.erratum.Refutation"),
    "no text": (lambda: found(printed=1), "`printed` of Refutation is 1, expected text"),
    "no instance": (lambda: found(instance=None), "`instance` of Refutation is None, expected text"),
    "no names": (lambda: found(hypotheses=True), "`hypotheses` of Refutation is True, expected a dictionary"),
}


def test_a_counterexample_that_misses_a_hypothesis_confirms_nothing() -> None:
    missed = replace(erratum("missed"), counterexample=lambda: found(hypotheses={"x > 0": True, "T ≥ X": False}))
    met = replace(erratum("met"), counterexample=lambda: found(hypotheses={"x > 0": True}))
    screens = errata(shelf(missed), ("first",)), errata(shelf(met), ("first",))
    assert [screen.confirmed for screen in screens] == [False, True]
    assert "hypotheses    NOT MET: T ≥ X\n" in screens[0].text
    assert "NOT MET" not in screens[1].text


@pytest.mark.parametrize("fault", COUNTEREXAMPLES)
def test_a_counterexample_that_misbehaves_is_an_error_and_the_next_is_shown(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "SECONDS", 1.0)
    counterexample, words = COUNTEREXAMPLES[fault]
    found = errata(shelf(replace(erratum("odd"), counterexample=counterexample), erratum()))
    text, confirmed = found.text, found.confirmed
    assert not confirmed
    assert words in " ".join(text.split())
    assert "1 of 2 counterexamples" in text


def test_no_errata_is_said() -> None:
    found = errata(shelf(), ("lifelong",))
    assert (found.text, found.confirmed) == ("No errata are declared for lifelong.\n", True)


def test_unknown_names_are_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="Did you mean 'lifelong'"):
        errata(shelf(erratum()), ("lifelnog",))
    with pytest.raises(UsageError, match=r"no erratum is called 'oen'\. Did you mean 'one'\?"):
        errata(shelf(erratum(), erratum("two")), ("lifelong",), "oen")


def test_a_paper_whose_plugin_is_broken_says_so() -> None:
    broken = Registry(broken=[Broken("ucblvd", "here", "ImportError: gone", groups=("lifelong",))])
    with pytest.raises(PluginError, match="ImportError: gone"):
        errata(broken, ("lifelong",))
