"""Figures of a report in Python: in a figure of their own, or in axes of somebody else's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib.figure import Figure

from verifier.base.errors import UsageError
from verifier.commands import report as module
from verifier.commands.report import Report
from verifier.plugins.provided import Registry

from ...reports.scalings import scaling_record


@pytest.fixture
def report() -> Report:
    return Report(scaling_record())


def test_a_figure_of_its_own_is_as_wide_as_a_column(report: Report) -> None:
    assert report.figures == ("regret-growth", "planning-growth", "greedy-regret", "easy-regret")
    made = report.figure("regret-growth")
    assert isinstance(made, Figure)
    assert made.get_size_inches()[0] == pytest.approx(3.25)
    assert made.axes[0].get_xlabel() == "episodes $K$"
    assert made.axes[0].xaxis.label.get_fontsize() == 8


def test_it_is_saved_with_its_fonts_and_its_resolution(report: Report, tmp_path: Path) -> None:
    made = report.figure("regret-growth")
    made.savefig(tmp_path / "figure.pdf")
    made.savefig(tmp_path / "figure.png")
    content = (tmp_path / "figure.pdf").read_bytes()
    assert b"/CIDFontType2" in content
    assert b"/Type3" not in content
    assert int.from_bytes((tmp_path / "figure.png").read_bytes()[16:20]) == 975


def test_axes_of_somebody_else_are_drawn_into(report: Report) -> None:
    whole = Figure(figsize=(8, 4))
    left, right = whole.subfigures(1, 2)
    axes = left.subplots()
    other = right.subplots(1, 2)
    assert report.figure("regret-growth", ax=axes) is whole
    assert report.figure("planning-growth", other[1]) is whole
    assert axes.get_legend() is not None
    assert axes.xaxis.label.get_fontsize() == mpl.rcParams["font.size"]
    assert [each.get_ylabel() for each in (axes, *other)] == ["regret", "", "planning calls"]
    assert tuple(whole.get_size_inches()) == (8, 4)


def test_a_figure_changes_no_settings_of_matplotlib(report: Report) -> None:
    before = dict(mpl.rcParams)
    report.figure("regret-growth")
    report.figure("regret-growth", Figure().subplots())
    assert dict(mpl.rcParams) == before


def test_a_wrong_name_is_told_with_those_there_are(report: Report) -> None:
    listed = "regret-growth, planning-growth, greedy-regret, easy-regret"
    with pytest.raises(UsageError, match=f"no figure 'regret-grwth'. Did you mean 'regret-growth'.* There are: {listed}"):
        report.figure("regret-grwth")


def test_all_of_them_are_saved_in_a_folder(report: Report, tmp_path: Path) -> None:
    report.save(tmp_path / "figures", format="csv")
    assert len(list((tmp_path / "figures").glob("*.csv"))) == 4


def test_where_nothing_draws_it_is_told(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "with_formats", lambda *_names: Registry())
    with pytest.raises(UsageError, match="no installed report format draws figures; install"):
        report.figure("regret-growth")


def test_matplotlib_is_imported_when_it_draws() -> None:
    code = (
        "import sys, verifier\nfrom verifier.commands.report import Report\n"
        "from verifier.plugins.registry import with_formats\nwith_formats('pdf')\n"
        "assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
