"""Figures for a paper: what the files are, that numbers are those of the record, and what stands in a figure."""

from __future__ import annotations

import csv
import hashlib
import io
import math
import os
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from verifier.base.errors import UsageError
from verifier.record import Record
from verifier.record.scaling import ScalingPoint, ScalingPower
from verifier.record.writer import Drawing
from verifier_reports import verifier_report_writers
from verifier_reports.paper import style
from verifier_reports.paper.collect import figure, figures, names
from verifier_reports.paper.drawing import drawn, file
from verifier_reports.paper.figure import PaperFigure
from verifier_reports.paper.naming import called
from verifier_reports.paper.scaling import means
from verifier_reports.paper.writer import with_captions

from .kills import power_record
from .sample import algorithm, odd_records, record, sample
from .scalings import ROOT, scaling, scaling_claim, scaling_record
from .test_tightness import made_up, of_a_family, of_delta

WRITERS = {writer.name: writer for writer in verifier_report_writers()}
RECORDS = {
    "sample": sample(),
    "scaling": scaling_record(),
    "power": power_record(),
    "tight": made_up(),
    "growth": of_a_family(),
    "delta": of_delta(),
}
REGRET = "ucblvd-scaling-regret-growth-published-lock"


def table(shown: PaperFigure) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(shown.table.csv())))


def regret() -> PaperFigure:
    return figure(RECORDS["scaling"], "regret-growth")


def texts(made: Figure) -> list[str]:
    """Every text of a figure that is seen."""
    from matplotlib.text import Text

    return [text.get_text() for text in made.findobj(Text) if isinstance(text, Text) and text.get_visible() and text.get_text()]


@pytest.mark.parametrize(("name", "ending"), [("scaling", "pdf"), ("sample", "svg"), ("power", "png"), ("tight", "svg")])
def test_a_folder_has_each_figure_and_its_caption(name: str, ending: str, tmp_path: Path) -> None:
    data = RECORDS[name]
    WRITERS[ending].write(data, tmp_path / "figures")
    listed = {path.name for path in (tmp_path / "figures").iterdir()}
    assert listed == {"captions.txt", *(f"{each.name}.{ending}" for each in figures(data))}
    captions = (tmp_path / "figures" / "captions.txt").read_text(encoding="utf-8")
    assert all(f"[{each.name}]\n{each.caption[0]}" in captions for each in figures(data))


@pytest.mark.parametrize("name", RECORDS)
def test_a_pdf_has_its_fonts_and_the_width_of_a_column_or_a_page(name: str) -> None:
    for shown in figures(RECORDS[name]):
        content = file(shown, "pdf")
        assert content.startswith(b"%PDF-1.")
        assert b"/CIDFontType2" in content
        assert b"/FontFile2" in content
        assert b"/Type3" not in content
        box = re.search(rb"/MediaBox \[ ?0 0 ([\d.]+) ([\d.]+) ?\]", content)
        assert box is not None
        assert float(box[1]) / 72 == pytest.approx(shown.width)
        assert shown.width in (3.25, 6.75)
        assert float(box[2]) / 72 < 9  # no higher than the text of a page


def test_an_svg_is_well_formed_and_needs_no_font() -> None:
    content = file(regret(), "svg")
    root = ElementTree.fromstring(content)
    assert root.get("width") == "234pt"  # 3.25 inches
    assert root.get("role") == "img"
    assert root.get("aria-label", "").startswith("Regret (reward) of UCBlvd")
    assert b"font-family" not in content
    assert not list(root.iter("{http://www.w3.org/2000/svg}text"))


def test_a_png_has_300_dots_per_inch() -> None:
    content = file(regret(), "png")
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    (width,) = struct.unpack(">I", content[16:20])
    assert width == 975  # 3.25 inches
    at = content.index(b"pHYs")
    across, up, unit = struct.unpack(">IIB", content[at + 4 : at + 13])
    assert unit == 1  # dots per metre
    assert across == up == round(300 / 0.0254)


def test_no_file_has_a_date_or_the_name_of_a_program() -> None:
    for ending in ("pdf", "svg", "png"):
        content = file(regret(), ending)
        for word in (b"CreationDate", b"ModDate", b"Producer", b"Creator", b"dc:date", b"Software", b"Matplotlib v", b"tIME"):
            assert word not in content, (ending, word)


DIGESTS = """
import hashlib, sys
from verifier.record.file import read_record
from pathlib import Path
from verifier_reports.paper.collect import figures
from verifier_reports.paper.drawing import file
shown = figures(read_record(Path(sys.argv[1])))[0]
print(*(hashlib.sha256(file(shown, ending)).hexdigest() for ending in ("pdf", "svg", "png")))
"""


@pytest.mark.full
def test_files_are_the_same_in_every_process(tmp_path: Path) -> None:
    WRITERS["json"].write(RECORDS["scaling"], tmp_path / "record.json")
    environment = {**os.environ, "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "SOURCE_DATE_EPOCH": "86400"}
    command = [sys.executable, "-c", DIGESTS, str(tmp_path / "record.json")]
    told = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()
    assert told == [hashlib.sha256(file(regret(), ending)).hexdigest() for ending in ("pdf", "svg", "png")]


def test_a_look_that_somebody_has_set_changes_no_file() -> None:
    from matplotlib import rc_context

    own = file(regret(), "pdf")
    with rc_context({"font.size": 20, "pdf.fonttype": 3, "axes.grid": True, "savefig.bbox": "tight", "lines.linewidth": 9}):
        assert file(regret(), "pdf") == own


# Numbers ----------------------------------------------------------------------------------------------------------


def test_csv_has_the_trials_of_the_record_to_the_last_digit() -> None:
    (found,) = (c.regimes[0].scaling for c in RECORDS["scaling"].algorithms[0].claims if c.name == "regret-growth")
    assert found is not None
    rows = table(regret())
    assert list(rows[0]) == ["series", "K (episodes)", "seed", "regret (reward)", "regret low (reward)", "regret high (reward)"]
    trials = [(float(r["K (episodes)"]), int(r["seed"]), float(r["regret (reward)"])) for r in rows if r["series"] == "trial"]
    assert trials == [(point.size, point.seed, point.value) for point in found.points]
    bound = [(float(r["K (episodes)"]), float(r["regret (reward)"])) for r in rows if r["series"] == "explicit bound"]
    assert bound == [(point.size, point.value) for point in found.bound]
    fit = [tuple(float(r[f"regret{end} (reward)"]) for end in ("", " low", " high")) for r in rows if r["series"] == "fit"]
    assert fit == [(point.value, point.low, point.high) for point in found.fit]
    wrong = [r for r in rows if r["series"] == "wrong: greedy, trial"]
    assert found.power is not None
    assert [float(r["regret (reward)"]) for r in wrong] == [point.value for point in found.power.points]


def test_means_have_the_interval_of_student() -> None:
    sample = tuple(ScalingPoint(10, seed, value) for seed, value in enumerate((1.0, 2.0, 3.0)))
    (mean,) = means(sample)
    half = 4.302652729749464 / math.sqrt(3)  # 97.5% quantile of Student with 2 degrees of freedom, deviation 1
    assert (mean.value, mean.low, mean.high) == pytest.approx((2.0, 2.0 - half, 2.0 + half))
    assert means(sample[:1])[0].low is None
    assert [each.seeds for each in means((*sample, ScalingPoint(10, 3, math.nan), ScalingPoint(20, 0, math.inf)))] == [3]


def test_other_figures_have_their_numbers_too() -> None:
    (looseness,) = figures(RECORDS["sample"])
    by_claim = {(row["claim"], row["regime"]): row for row in table(looseness)}
    assert float(by_claim["ucblvd/distillation-error", "oracle"]["value / bound (no unit)"]) == pytest.approx(3.21 / 2.1)
    (kills,) = figures(RECORDS["power"])
    assert [row["claim"] for row in table(kills) if (row["bug"], row["found or missed"]) == ("half-bonus", "found")] == [
        "optimism",
        "bonus-validity",
    ]
    assert [row["claim"] for row in table(kills) if (row["bug"], row["found or missed"]) == ("shy", "missed")] == ["optimism"]
    factors, _ = figures(RECORDS["tight"])  # no family was measured
    coverage = next(row for row in table(factors) if (row["claim"], row["instance"]) == ("coverage", "random"))
    assert float(coverage["certified low (multiple of the bound)"]) == 6.5159e-4
    assert float(coverage["largest (multiple of the bound)"]) == 9.3e-4


def test_a_figure_of_growth_has_every_size_with_its_interval_and_the_exponents() -> None:
    shown = figure(RECORDS["growth"], "factor-growth")
    assert shown.name == "ucblvd-factor-growth-horizons"
    first, last, *others = table(shown)
    assert [(row["claim"], row["H"]) for row in (first, last)] == [("coverage", "2"), ("coverage", "8")]
    assert float(first["certified high (multiple of the bound)"]) == 8.41e-3
    assert (float(last["exponent of H low"]), float(last["exponent of H high"])) == (-1.03, -0.38)
    assert {row["certified low (multiple of the bound)"] for row in others} == {""}  # optimism, of which nothing is certified
    assert {(row["claim"], row["exponent of H high"], row["exponent of H seen"]) for row in others} == {("optimism", "", "-0.21")}
    told = " ".join(shown.caption)
    assert "coverage: exponent of H -1.03 to -0.38, certified." in told
    assert "Of the other claims no exponent is certified." in told
    assert "No curve is fitted" in told
    made = drawn(shown)
    (axes,) = made.axes
    assert axes.get_xlabel() == "$H$"
    assert [text.get_text() for text in axes.get_xticklabels()] == ["2", "8"]
    assert [text.get_text() for text in made.legends[0].get_texts()] == ["coverage", "optimism"]


def test_a_figure_of_the_regret_has_a_row_for_each_width() -> None:
    shown = figure(RECORDS["tight"], "price")
    assert shown.name == "ucblvd-price"
    rows = table(shown)
    assert [(row["width"], row["mean (reward)"]) for row in rows] == [
        ("published", "24.84"),
        ("scaled(0.000811)", "4.56"),
        ("oracle", "2.55"),
    ]
    assert [(row["low (reward)"], row["event failed (runs)"]) for row in rows] == [("22.99", "0"), ("4.17", "8"), ("", "")]
    assert "At 8.11e-4 of it the event failed in 8 of 20 runs." in shown.caption
    (axes,) = drawn(shown).axes
    assert [text.get_text() for text in axes.get_yticklabels()] == ["published", "8.11e-4 of it", "error of the run"]
    low, high = axes.get_xlim()
    assert low == 0.0
    assert high > 34.37, "the whole interval is in sight"
    with pytest.raises(UsageError, match="no figure 'price'"):
        figure(made_up(price=None), "price")


def test_a_figure_of_delta_is_over_its_logarithm() -> None:
    shown = figure(RECORDS["delta"], "factor-growth")
    rows = table(shown)
    assert [(row["claim"], row["1/delta"]) for row in rows][:3] == [("confidence-event", size) for size in ("2", "4", "10")]
    assert float(rows[2]["ln(1/delta)"]) == pytest.approx(math.log(10))
    assert "exponent of ln(1/delta) 0.79 to 2.74, certified." in " ".join(shown.caption)
    (axes,) = drawn(shown).axes
    assert [text.get_text() for text in axes.get_xticklabels()] == ["2", "4", "10"]
    assert axes.xaxis.get_majorticklocs() == pytest.approx([math.log(size) for size in (2, 4, 10)])


def test_a_figure_of_growth_draws_what_it_can() -> None:
    """Nothing where every factor is 0, five claims at the most, and bars without an end up to the edge."""
    found = of_a_family().algorithms[0].tightness
    assert found is not None
    coverage, optimism = found.claims
    zero = replace(coverage, claim="zero", lines=tuple(replace(line, largest=0.0, low=0.0, high=0.0) for line in coverage.lines))
    assert [each.short for each in figures(made_up(claims=(zero,), price=None))] == ["factors"]
    many = (*(replace(optimism, claim=f"seen-{number}") for number in range(6)), zero, coverage)
    shown = figure(made_up(claims=many, price=None), "factor-growth")
    assert "Not drawn: seen-4, seen-5." in " ".join(shown.caption)
    assert {row["claim"] for row in table(shown)} == {"coverage", *(f"seen-{number}" for number in range(6))}
    assert next(iter(drawn(shown).legends[0].get_texts())).get_text() == "coverage"
    open_ended = replace(coverage, lines=tuple(replace(line, high=math.inf) for line in coverage.lines))
    (axes,) = drawn(figure(made_up(claims=(open_ended,), price=None), "factor-growth")).axes
    assert sum(line.get_marker() == "^" for line in axes.lines) == 2


def test_csv_is_written_without_matplotlib(tmp_path: Path) -> None:
    WRITERS["json"].write(RECORDS["scaling"], tmp_path / "record.json")
    code = (
        "import sys\nfrom pathlib import Path\nfrom verifier.record.file import read_record\n"
        "from verifier_reports.formats import FORMATS\n"
        "next(each for each in FORMATS if each.name == 'csv').write(read_record(Path('record.json')), Path('numbers'))\n"
        "assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    listed = sorted(path.name for path in (tmp_path / "numbers").iterdir())
    assert listed == sorted(f"{each.name}.csv" for each in figures(RECORDS["scaling"]))


# What stands in a figure ------------------------------------------------------------------------------------------


def test_what_stands_in_a_figure_of_scaling() -> None:
    made = drawn(regret())
    (axes,) = made.axes
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_title()) == ("episodes $K$", "regret", "")
    (legend,) = made.legends
    assert [text.get_text() for text in legend.get_texts()] == [
        "UCBlvd",
        "greedy, wrong",
        "fit $9\\,K^{0.48}$",
        "claimed $\\sqrt{K}$",
        "trivial bound",
    ]


def test_a_bound_is_drawn_where_it_hides_nothing() -> None:
    drawn_texts = {name: texts(drawn(figure(RECORDS["scaling"], name))) for name in ("planning-growth", "regret-growth")}
    assert "explicit bound" in drawn_texts["planning-growth"]
    assert "explicit bound" not in drawn_texts["regret-growth"]
    assert "The explicit bound is beyond the axis: 20365 at K = 3200." in regret().caption
    assert any(row["series"] == "explicit bound" for row in table(regret()))


def test_a_constant_is_claimed_in_words() -> None:
    found = scaling(0.0, 10.0, replace(ROOT, label="1", exponent=0.0), (-0.1, 0.1))
    (shown,) = figures(record(algorithm([scaling_claim("calls", "conforms", "lock", found)])))
    assert "claimed: constant" in texts(drawn(shown))


@pytest.mark.parametrize(
    ("title", "name", "made"),
    [
        ("UCBVI-CH (Algorithms 1 to 3)", "ucbvi-ch", "UCBVI-CH"),
        ("MVP, monotonic value propagation (Algorithm 1)", "mvp", "MVP"),
        ("Q-learning with UCB-Hoeffding (Algorithm 1)", "ucb-hoeffding", "UCB-Hoeffding"),
        ("Of a title that has no such word in it", "thesis", "thesis"),
        ("", "thesis", "thesis"),
    ],
)
def test_names_in_a_legend(title: str, name: str, made: str) -> None:
    assert called(algorithm([], title=title, name=name)) == made


def test_curves_differ_in_more_than_their_colour() -> None:
    (axes,) = drawn(figure(RECORDS["scaling"], "planning-growth")).axes
    looks = [(line.get_marker(), tuple(line._dash_pattern[1] or ())) for line in axes.lines]  # type: ignore[attr-defined]  # matplotlib has no method
    labelled = [look for look, line in zip(looks, axes.lines, strict=True) if not line.get_label().startswith("_")]
    assert len(set(labelled)) == len(labelled) == 5
    colors = {str(line.get_color()) for line in axes.lines}
    assert colors <= {style.BLACK, style.GREY, style.BLUE, style.VERMILLION, style.GREEN, style.ORANGE}


def test_the_wrong_algorithm_is_shown_against_the_rate_that_it_misses() -> None:
    rows = [row for row in table(regret()) if row["series"] == "wrong: greedy, claimed rate"]
    sizes = [float(row["K (episodes)"]) for row in rows]
    values = [float(row["regret (reward)"]) for row in rows]
    assert (sizes[0], sizes[-1]) == pytest.approx((200, 800))
    assert values[-1] / values[0] == pytest.approx(2.0)  # a root over a factor of four
    wrong = [row for row in table(regret()) if row["series"] == "wrong: greedy, mean"]
    assert float(wrong[0]["regret (reward)"]) == pytest.approx(values[0])
    assert float(wrong[-1]["regret (reward)"]) > 1.5 * values[-1]


def test_without_a_wrong_algorithm_there_is_none() -> None:
    found = scaling(0.5, 10.0, ROOT, (0.4, 0.6), power=None)
    (shown,) = figures(record(algorithm([scaling_claim("regret", "conforms", "lock", found)])))
    assert not any("wrong" in text for text in texts(drawn(shown)))
    assert not any("wrong" in row["series"] for row in table(shown))


@pytest.mark.parametrize("name", RECORDS)
def test_nothing_is_cut_and_no_letter_is_small(name: str) -> None:
    from matplotlib.text import Text

    for shown in figures(RECORDS[name]):
        made = drawn(shown)
        renderer = made.canvas.get_renderer()  # type: ignore[attr-defined]  # of the Agg canvas
        whole = made.bbox
        for text in made.findobj(Text):
            assert isinstance(text, Text)
            if text.get_visible() and text.get_text():
                box = text.get_window_extent(renderer)
                assert box.x0 >= whole.x0 - 1
                assert box.x1 <= whole.x1 + 1, (shown.name, text.get_text())
                assert box.y0 >= whole.y0 - 1
                assert box.y1 <= whole.y1 + 1, (shown.name, text.get_text())
                assert text.get_fontsize() >= 7


@pytest.mark.parametrize("name", RECORDS)
def test_no_labels_of_an_axis_overlap(name: str) -> None:
    for shown in figures(RECORDS[name]):
        made = drawn(shown)
        (axes,) = made.axes
        renderer = made.canvas.get_renderer()  # type: ignore[attr-defined]  # of the Agg canvas
        for axis in (axes.xaxis, axes.yaxis):
            boxes = [label.get_window_extent(renderer) for label in axis.get_ticklabels() if label.get_text()]
            for number, box in enumerate(boxes):
                assert not any(box.overlaps(other) for other in boxes[number + 1 :]), shown.name


def test_a_large_matrix_takes_the_width_of_a_page() -> None:
    from .kills import mutant

    found = power_record().algorithms[0].power
    assert found is not None
    many = tuple(mutant(f"bug-{number}", "killed", (f"a-claim-{number}", 1)) for number in range(60))
    (shown,) = figures(record(algorithm([], power=replace(found, mutants=many))))
    assert shown.width == 6.75
    assert len(drawn(shown).axes[0].get_yticks()) == 50
    assert "The first 50 bugs and the 40 claims that found most, of 60." in shown.caption
    assert len(table(shown)) == 60


@pytest.mark.parametrize("name", ["hostile text", *(key for key in odd_records() if key != "hostile text")])
def test_odd_records_are_drawn_all_the_same(name: str) -> None:
    for shown in figures(odd_records()[name]):
        assert file(shown, "svg")
        assert shown.table.csv()


@pytest.mark.parametrize(
    "changes",
    [
        {"points": ()},
        {"points": (), "fit": (), "held_out": (), "bound": (), "trivial": (), "power": None},
        {"points": (ScalingPoint(10, 0, 0.0),), "fit": (), "held_out": ()},
        {"points": (ScalingPoint(10, 0, math.nan), ScalingPoint(20, 0, math.inf)), "fit": ()},
        {"points": (ScalingPoint(10, 0, 1.0), ScalingPoint(10, 1, 900.0), ScalingPoint(20, 0, 5.0)), "fit": ()},
        {"exponent": None, "interval": None, "models": (), "fit": (), "burn_in": None, "claimed_exponent": None},
        {"quantity": "re$gret_{x " * 30, "size": "$", "size_unit": "a/b", "power": ScalingPower("$^{", "violated", "")},
    ],
)
def test_odd_scalings_are_drawn_all_the_same(changes: dict[str, Any]) -> None:
    found = replace(scaling(0.5, 10.0, ROOT, (0.4, 0.6)), **changes)
    for shown in figures(record(algorithm([scaling_claim("regret", "conforms", "lock", found)]))):
        assert file(shown, "pdf")
        assert shown.table.csv()


# Words ------------------------------------------------------------------------------------------------------------


def test_a_caption_says_what_is_drawn_and_what_is_beyond_the_axis() -> None:
    said = " ".join(figure(RECORDS["scaling"], "greedy-regret").caption)
    assert "against episodes K on the instance lock, in the regime published" in said
    assert "means over 8 seeds with pointwise 95% intervals of Student" in said
    assert "Hollow marks: K < 200" in said
    assert "Solid: the fit regret = 12 K^0.98" in said
    assert "Dashed: the claimed rate sqrt(K), whose exponent over these sizes is 0.50." in said
    assert "Violated: grows like K^0.98 (95% interval 0.94 to 1.02)" in said
    assert "Crosses: greedy, an algorithm known to be wrong, called violated by the same rule" in said
    assert "The explicit bound is beyond the axis: 1e9 at K = 3200." in said


def test_captions_of_other_figures_are_kept(tmp_path: Path) -> None:
    WRITERS["svg"].write(RECORDS["sample"], tmp_path)
    path = tmp_path / "captions.txt"
    path.write_text("My notes.\n\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    for _ in range(2):
        WRITERS["svg"].write(RECORDS["power"], tmp_path)
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"^\[(.+)\]$", text, re.MULTILINE) == ["ucblvd-looseness", "ucblvd-kill-matrix"]
    assert text.startswith("My notes.\n\n[")
    changed = [replace(each, caption=("New.",)) for each in figures(RECORDS["sample"])]
    assert "[ucblvd-looseness]\nNew.\n" in with_captions(text, changed)


# Names and errors -------------------------------------------------------------------------------------------------


def test_names_are_short_where_they_are_alone() -> None:
    assert names(RECORDS["scaling"]) == ("regret-growth", "planning-growth", "greedy-regret", "easy-regret")
    twice = record(*RECORDS["sample"].algorithms, *RECORDS["sample"].algorithms)
    assert names(twice) == ("ucblvd-looseness", "ucblvd-looseness-2")
    assert figure(twice, "ucblvd-looseness-2").name == "ucblvd-looseness-2"
    with pytest.raises(UsageError, match="2 figures are called 'looseness': ucblvd-looseness, ucblvd-looseness-2; give one"):
        figure(twice, "looseness")


def test_a_figure_has_the_name_of_its_claim_or_of_its_file() -> None:
    found = {figure(RECORDS["scaling"], name).name for name in ("regret-growth", "ucblvd/regret-growth", REGRET)}
    assert found == {REGRET}


def test_formats_that_draw_figures_one_by_one() -> None:
    assert {name for name, writer in WRITERS.items() if isinstance(writer, Drawing)} == {"pdf", "svg", "png"}


@pytest.mark.parametrize("ending", ["pdf", "svg", "png", "csv"])
def test_a_record_without_figures_is_told_and_makes_no_folder(ending: str, tmp_path: Path) -> None:
    empty: Record = odd_records()["no algorithms"]
    with pytest.raises(UsageError, match=r"nothing was written to .*figures': the report has no figure: `verifier scale`"):
        WRITERS[ending].write(empty, tmp_path / "figures")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ["pdf", "svg", "png", "csv"])
def test_a_folder_that_cannot_be_written_to_is_named(ending: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UsageError, match=r"cannot write the figures to .*file': it is a file; choose another path"):
        WRITERS[ending].write(RECORDS["power"], tmp_path / "file")
    with pytest.raises(UsageError, match=r"cannot write the figures to .*the folder .*nowhere' does not exist; create it"):
        WRITERS[ending].write(RECORDS["power"], tmp_path / "nowhere" / "figures")
    (tmp_path / "figures" / f"ucblvd-kill-matrix.{ending}").mkdir(parents=True)
    with pytest.raises(UsageError, match=r"cannot write the report to .*it is a folder"):
        WRITERS[ending].write(RECORDS["power"], tmp_path / "figures")


def test_a_pdf_can_be_read_to_its_end() -> None:
    """Every stream that is compressed can be opened."""
    content = file(regret(), "pdf")
    assert content.rstrip().endswith(b"%%EOF")
    streams = re.findall(rb"/FlateDecode.*?stream\r?\n(.*?)\r?\nendstream", content, re.DOTALL)
    assert len(streams) > 2
    assert all(zlib.decompressobj().decompress(stream) for stream in streams)
