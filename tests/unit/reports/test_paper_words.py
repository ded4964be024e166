"""Words, formulas and numbers in figures for a paper."""

from __future__ import annotations

from dataclasses import replace

import pytest

from verifier.record.scaling import ScalingModel
from verifier_reports.paper import mathtext, style
from verifier_reports.paper.collect import figures
from verifier_reports.paper.scaling import fitted
from verifier_reports.paper.writer import with_captions

from .scalings import scaling_record


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("√K ln(5HSAT/δ)", r"$\sqrt{K}\,\ln (5HSAT/δ)$"),
        ("sqrt(K)", r"$\sqrt{K}$"),
        ("√T1 log T1", r"$\sqrt{T_{1}}\,\log T_{1}$"),
        ("√β_K √(T G)", r"$\sqrt{β_{K}}\,\sqrt{T\,G}$"),
        ("n√ln(18nTSA/δ)", r"$n\sqrt{\ln (18nTSA/δ)}$"),
        ("H^{3/2}", r"$H^{3/2}$"),
        ("H²", r"$H^{2}$"),
        ("log₂(8T/SA)", r"$\log_{2}(8T/SA)$"),
        ("2.1e5 K^-0.5", r"$2.1\times 10^{5}\,K^{-0.5}$"),
        ("E Ṽ_1(s; b) / β_P", r"$E\,\tilde{V}_{1}(s;\,b)/β_{P}$"),
        ("$x", r"\$x"),
        ("f(x", "f(x"),
        ("漢字", "漢字"),
    ],
)
def test_formulas_as_mathtext(text: str, made: str) -> None:
    assert mathtext.formula(text) == made


def test_every_claimed_rate_that_is_installed_is_a_formula() -> None:
    """A label that is not understood would stand in a legend as it is typed."""
    from verifier.plugins.registry import registry

    rates = {claim.rate.label for each in registry().guarantees.values() for claim in each.scaling}
    assert len(rates) > 20
    assert {label for label in rates if not mathtext.formula(label).startswith("$")} == set()


def test_words_stay_words() -> None:
    assert mathtext.words_or_formula("planning calls after the first") == "planning calls after the first"
    assert mathtext.words_or_formula("replans / (d log(1 + K/d))") == r"$\mathrm{replans}/(d\,\log (1+K/d))$"


@pytest.mark.parametrize(
    ("name", "form", "parameters", "made"),
    [
        ("power", "a K^b", {"a": 12.41, "b": 0.313}, "12.4 K^0.31"),
        ("logarithm", "a + b log K", {"a": -131.4, "b": 34.72}, "-131.4 + 34.7 log K"),
        ("power with logarithm", "K^0.5 (a + b log K)", {"a": 7.79, "b": -0.633}, "K^0.5 (7.79 - 0.633 log K)"),
        ("constant", "a", {"a": 3.0}, "3"),
        ("linear", "a + b K", {"a": 75.5, "b": 0.0317}, "75.5 + 0.0317 K"),
    ],
)
def test_a_fit_has_its_numbers(name: str, form: str, parameters: dict[str, float], made: str) -> None:
    assert fitted(ScalingModel(name, form, parameters, 0.0, chosen=True, compatible=True)) == made


@pytest.mark.parametrize(
    ("value", "text"), [(200.0, "200"), (16000.0, "16000"), (2e5, r"$2\times10^{5}$"), (1e7, "$10^{7}$"), (0.5, "0.5")]
)
def test_numbers_on_axes(value: float, text: str) -> None:
    assert style.number(value) == text


@pytest.mark.parametrize(
    ("said", "printed"),
    [
        ("The explicit bound is 2.86e7 at K = 2000.", "The explicit bound is 2.86 × 10^7 at K = 2000."),
        ("between -5.2e-3 and 3e-2", "between -5.2 × 10^-3 and 3 × 10^-2"),
        ("in the regime scaled(1e-3)", "in the regime scaled(1e-3)"),
    ],
)
def test_powers_of_ten_in_captions(said: str, printed: str) -> None:
    (made,) = figures(scaling_record())[:1]
    assert with_captions("", [replace(made, caption=(said,))]) == f"[{made.name}]\n{printed}\n"
