from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.record import Record
from verifier.record.scaling import ScalingPoint, SizedValue
from verifier_reports.numbers import numeral
from verifier_reports.page.view import percent, slug
from verifier_reports.page.writer import HtmlWriter
from verifier_reports.plots import kill_matrix, looseness
from verifier_reports.plots.axes import plain, power_of_ten, ticks
from verifier_reports.plots.collect import plots
from verifier_reports.plots.curves import claimed_curve
from verifier_reports.plots.drawing import COLORS, file_svg, inline_svg, png
from verifier_reports.plots.plot import Plot, file_name
from verifier_reports.plots.room import Dot, picture, rows
from verifier_reports.plots.scaling import captions
from verifier_reports.scaling import scaled

from .entries import INF, NAN, claim, entry
from .kills import power_record
from .sample import algorithm, odd_records, record, sample
from .scalings import LOGARITHM, ROOT, scaling, scaling_claim, scaling_record
from .test_tightness import made_up, of_a_family, of_delta

SVG = "{http://www.w3.org/2000/svg}"


def drawn(data: Record) -> list[Plot]:
    return [plot for own in plots(data).values() for plot in own]


def words(svg: str) -> str:
    return " ".join("".join(text.itertext()) for text in ElementTree.fromstring(svg).iter(f"{SVG}text"))


RECORDS = {
    "sample": sample(),
    "scaling": scaling_record(),
    "power": power_record(),
    "growth": of_a_family(),
    "delta": of_delta(),
    **odd_records(),
}


@pytest.mark.parametrize("name", RECORDS)
def test_inline_figures_are_well_formed_and_share_nothing_with_each_other(name: str) -> None:
    ids: list[str] = []
    for plot in drawn(RECORDS[name]):
        for one in filter(None, (plot, plot.narrow)):
            svg = inline_svg(one)
            root = ElementTree.fromstring(svg)
            assert root.get("role") == "img"
            assert root.get("aria-label")
            own = re.findall(r' id="([^"]+)"', svg)
            assert set(re.findall(r'(?:url\(#|href="#)([^)"]+)', svg)) == set(own)
            ids += own
    assert len(ids) == len(set(ids))


def test_inline_figures_take_every_colour_and_the_font_from_the_page() -> None:
    for name in ("sample", "scaling", "power"):
        for plot in drawn(RECORDS[name]):
            svg = inline_svg(plot)
            used = set(re.findall(r"#[0-9a-fA-F]{6}\b", svg))
            assert not used
            assert "DejaVu" not in svg
            assert set(re.findall(r"var\(--([\w-]+)\)", svg)) <= set(COLORS)
            assert "http" not in re.sub(r'xmlns(:xlink)?="[^"]+"', "", svg)


def test_figures_are_the_same_each_time() -> None:
    plot = drawn(RECORDS["scaling"])[0]
    assert inline_svg(plot) == inline_svg(plot)
    assert png(plot) == png(plot)


def test_a_figure_in_a_file_has_its_title_and_stands_on_white() -> None:
    plot = drawn(RECORDS["scaling"])[0]
    svg = file_svg(plot)
    assert "regret-growth: regret against K" in words(svg)
    assert COLORS["paper"] in svg
    assert png(plot).startswith(b"\x89PNG")


def test_scaling_is_drawn_with_axes_units_and_everything_in_the_legend() -> None:
    plot = next(plot for plot in drawn(RECORDS["scaling"]) if "regret-growth" in plot.name)
    text = words(inline_svg(plot))
    for part in (
        "K (episodes)",
        "regret (reward)",
        "data, one dot per seed",
        "burn-in, not fitted",
        "fit a K^b, band",
        "claimed sqrt(K)",
        "explicit bound",
        "the trivial bound",
        "held out, forecast",
    ):
        assert part in text
    assert plot.alt.startswith("Log-log plot: regret-growth: regret against K, published@lock. conforms: grows like K^0.48")


def test_a_bound_far_above_the_data_is_drawn_above_a_break_of_the_axis() -> None:
    plot = next(plot for plot in drawn(RECORDS["scaling"]) if "greedy-regret" in plot.name)
    assert "explicit bound" in words(inline_svg(plot))
    assert "10⁹" in words(inline_svg(plot))
    assert "$" not in words(inline_svg(plot))
    assert any(sentence.startswith("The explicit bound is drawn above the break: 1e+09 at K = 3200") for sentence in plot.caption)
    near = next(plot for plot in drawn(RECORDS["scaling"]) if "regret-growth" in plot.name)
    assert near.height < plot.height
    assert not any("break" in sentence for sentence in near.caption)


def test_the_wrong_algorithm_is_drawn_beside_the_right_one() -> None:
    with_it, without = scaling(0.5, 10.0, ROOT, (0.4, 0.6)), scaling(0.5, 10.0, ROOT, (0.4, 0.6), power=None)
    texts = []
    for found in (with_it, without):
        (plot,) = drawn(record(algorithm([scaling_claim("regret", "conforms", "lock", found)])))
        texts.append(words(inline_svg(plot)))
    assert "wrong: greedy" in texts[0]
    assert "wrong" not in texts[1]


def test_what_the_caption_says() -> None:
    said = {one.claim.id: " ".join(captions(one.entry, one.scaling)) for one in scaled(RECORDS["scaling"].algorithms[0])}
    conforms = said["ucblvd/regret-growth"]
    assert "grows like K^0.48 (95% interval 0.43 to 0.53); claimed sqrt(K)" in conforms
    assert "Power: greedy is called violated: " in conforms
    assert "Burn-in: K < 200 shown, not used: " in conforms
    assert "left out, K = " in conforms
    assert "from K = 44608 on" in conforms
    assert "Power: greedy is not caught." in said["ucblvd/easy-regret"]


@pytest.mark.parametrize(
    "changes",
    [
        {"points": ()},
        {"points": (), "fit": (), "held_out": (), "bound": (), "trivial": ()},
        {"points": (ScalingPoint(10, 0, 0.0),), "fit": (), "held_out": ()},
        {"points": (ScalingPoint(10, 0, NAN), ScalingPoint(20, 0, INF)), "fit": ()},
        {"points": (ScalingPoint(1, 0, 3.0), ScalingPoint(4, 0, 3.1)), "claimed": LOGARITHM, "fit": ()},
        {"exponent": None, "interval": None, "power": None, "models": (), "fit": (), "burn_in": None, "claimed_exponent": None},
        {"exponent": NAN, "nonvacuous_from": INF, "quantity": "regret " * 30, "quantity_unit": "u" * 50},
    ],
)
def test_odd_scalings_are_drawn_all_the_same(changes: dict[str, Any]) -> None:
    found = replace(scaling(0.5, 10.0, ROOT, (0.4, 0.6)), **changes)
    for plot in drawn(record(algorithm([scaling_claim("regret", "conforms", "lock", found)]))):
        ElementTree.fromstring(inline_svg(plot))


def test_the_claimed_rate_starts_where_the_fit_does_and_grows_as_claimed() -> None:
    curve = claimed_curve(scaling(0.48, 9.0, ROOT, (0.4, 0.5)))
    assert curve[0] == pytest.approx((200, 9.0 * 2**0.48))
    assert curve[-1][0] == pytest.approx(6400)
    assert curve[-1][1] / curve[0][1] == pytest.approx(math.sqrt(32))


def test_other_claims_have_no_scaling_to_draw() -> None:
    assert not scaled(sample().algorithms[0])


def test_looseness_is_sorted_and_marks_what_is_vacuous_or_broken() -> None:
    found = rows(sample().algorithms[0])
    assert [row.largest for row in found] == sorted((row.largest for row in found), reverse=True)
    by_name = {row.name: row for row in found}
    assert by_name["distillation-error"].verdict == "violated"
    assert by_name["distillation-error"].largest == pytest.approx(3.21 / 2.1)
    assert by_name["regret"].horizon == "before K = 1.2e9"
    assert by_name["misspecified-regret"].horizon == "at any size"
    assert not any(dot.powered for dot in by_name["regret"].dots)
    assert "gram-matrix" not in by_name


def test_each_regime_has_a_panel_with_the_claims_that_have_a_mark_there() -> None:
    plot = looseness.plot(sample().algorithms[0])
    assert plot is not None
    names = {dot.regime for row in rows(sample().algorithms[0]) for dot in row.dots}
    assert len(names) > 1
    drawn = words(inline_svg(plot))
    assert all(drawn.count(name) == 1 for name in names)
    assert drawn.count(f"✗ {rows(sample().algorithms[0])[0].name}") == 1


def test_marks_stand_where_their_ratio_is_on_the_page_and_in_the_file() -> None:
    """Both from one scale; the page says the number of each, and links each claim."""
    (whole,) = sample().algorithms
    found = picture(whole)
    assert found is not None
    scale = found.scale
    assert (scale.fraction(scale.low), scale.fraction(scale.high)) == (0, 1)
    assert scale.fraction(10.0) - scale.fraction(1.0) == pytest.approx(scale.fraction(0.1) - scale.fraction(0.01))
    far, near = Dot("oracle", 0.0, "vacuous", False), Dot("oracle", 1.0, "conforms", True)
    assert (scale.outside(far), scale.outside(near)) == ("<", "")
    assert 0 < scale.fraction(scale.drawn(far)) < 0.1
    page = HtmlWriter().render(sample())
    for row in (row for block in found.blocks for row in block.rows):
        assert f'href="#{slug("claim", row.claim)}">' in page
        for dot in row.dots:
            assert f'style="left:{percent(scale, scale.drawn(dot))}" title="{numeral(dot.ratio)}">' in page


def test_looseness_shows_the_worst_comparison_that_could_have_failed() -> None:
    found = claim(
        "x",
        "Lemma 1",
        "T",
        "x <= y",
        "always",
        entry("x", "oracle@a", "vacuous", 0.9, 1.0, powered=0),
        entry("x", "oracle@b", "conforms", 0.2, 1.0),
        entry("x", "oracle@c", "not applicable", 8.0, 1.0, comparisons=9),
        entry("x", "published@a", "conforms", 1.0 + 1e-12, 1.0, tolerance=1e-9),
    )
    (row,) = rows(record(algorithm([found])).algorithms[0])
    assert [(dot.regime, dot.ratio) for dot in row.dots] == [("oracle", 0.2), ("published", 1.0)]


def test_the_kill_matrix_says_who_found_what() -> None:
    data = power_record().algorithms[0]
    plot = kill_matrix.plot(data)
    assert plot is not None
    text = words(inline_svg(plot))
    assert "✓ half-bonus" in text
    assert "✗ shy" in text
    assert "half-bonus killed by optimism, bonus-validity" in plot.alt
    assert data.power is not None
    assert kill_matrix.columns(data.power.mutants)[0] == "optimism"


def test_names_of_figures_are_unique_and_fit_every_file_system() -> None:
    twice = record(algorithm(list_of_claims()), algorithm(list_of_claims()))
    names = [plot.name for plot in drawn(twice)]
    assert names == ["ucblvd-looseness", "ucblvd-looseness-2"]
    assert (
        file_name("UCBlvd", "scaling", "a/b", "oracle[minimiser=farthest]", "..")
        == "ucblvd-scaling-a-b-oracle-minimiser-farthest"
    )
    assert file_name("漢字") == "figure"


def list_of_claims() -> list[Any]:
    return [claim("x", "Lemma 1", "T", "x <= y", "always", entry("x", "oracle@a", "conforms", 0.2, 1.0))]


@given(st.floats(1e-12, 1e12), st.floats(1.05, 1e15))
def test_an_axis_has_two_to_seven_ticks_inside_it(low: float, factor: float) -> None:
    high = low * factor
    found = ticks(low, high)
    assert 2 <= len(found) <= 7
    assert all(low * (1 - 1e-6) <= value <= high * (1 + 1e-6) for value, _ in found)
    assert len({label for _, label in found}) == len(found)


@pytest.mark.parametrize(
    ("value", "text"), [(200.0, "200"), (0.5, "0.5"), (2e5, "2·10⁵"), (1e7, "10⁷"), (3e-6, "3·10⁻⁶"), (6400.0, "6400")]
)
def test_numbers_on_axes(value: float, text: str) -> None:
    assert plain(value) == text


def test_powers_of_ten() -> None:
    assert [power_of_ten(k) for k in (-4, -2, 0, 3, 4)] == ["10⁻⁴", "0.01", "1", "1000", "10⁴"]


def test_a_claimed_rate_given_in_full_is_drawn_as_it_is_and_not_as_its_leading_order() -> None:
    told = tuple(SizedValue(size, math.log1p(size / 5)) for size in (100, 400, 1600))
    curve = claimed_curve(scaling(0.2, 9.0, replace(LOGARITHM, curve=told), (0.1, 0.3)))
    assert curve[0] == pytest.approx((200, 9.0 * 2**0.2))
    assert [x for x, _ in curve] == [200, 400, 1600]
    assert curve[2][1] / curve[1][1] == pytest.approx(math.log1p(320) / math.log1p(80))


def test_the_regret_at_smaller_widths_is_drawn_beside_its_table() -> None:
    (plot,) = [each for each in drawn(made_up()) if each.kind == "price"]
    assert plot.alt == "Mean regret with intervals: 24.8 at published, 4.56 at 8.11e-4 of it, 2.55 at error of the run."
    page = HtmlWriter().render(made_up())
    assert page.index('id="figure-ucblvd-price"') > page.index("What it means for regret")


def test_the_growth_of_factors_is_drawn_beside_its_table() -> None:
    (plot,) = [each for each in drawn(of_a_family()) if each.kind == "factor-growth"]
    assert plot.title == "How the factor grows on horizons, from H = 2 to 8"
    assert "coverage: exponent of H -1.03 to -0.38. optimism: exponent of H -0.21 seen." in plot.alt
    assert {"coverage", "optimism", "2", "8", "factor"} <= set(words(inline_svg(plot)).split())
    page = HtmlWriter().render(of_a_family())
    assert page.index('id="figure-ucblvd-factor-growth-horizons"') > page.index("H^0.38 too many here")
    (of_delta_plot,) = [each for each in drawn(of_delta()) if each.kind == "factor-growth"]
    assert "1/delta" in words(inline_svg(of_delta_plot))
