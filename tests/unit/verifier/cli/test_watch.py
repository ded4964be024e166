"""Checks that are repeated at each change: what is watched, when a change is over, and what is said of it."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.reports.sample import sample
from verifier.base.errors import UsageError
from verifier.cli.watch import Watch, compared, stamp, watched, without_watch

AGENT = "class Agent:\n    pass\n"


def test_python_files_and_configurations_are_watched_and_no_environment(tmp_path: Path) -> None:
    kept = ["agent.py", "package/module.py", "pyproject.toml"]
    for name in (*kept, "data.csv", ".hidden/a.py", "__pycache__/a.py", "env/lib/a.py", "env/pyvenv.cfg"):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text("")
    assert sorted(str(file.relative_to(tmp_path)) for file in stamp([tmp_path])) == kept


def test_a_change_of_content_or_of_time_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "agent.py"
    file.write_text("a = 1\n")
    before = stamp([tmp_path])
    assert stamp([tmp_path]) == before
    os.utime(file, ns=(1, 1))
    assert stamp([tmp_path]) != before


def test_the_folders_of_a_project_an_agent_and_an_installed_algorithm(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(AGENT)
    assert watched([f"{tmp_path}/agent.py:Agent", str(tmp_path)]) == [tmp_path.resolve()]
    (folder,) = watched(["ucbvi-ch"])
    assert (folder / "algorithm.py").exists()
    assert watched(["ucbvi-ch~off-by-one"]) == [folder]
    for absent in ("ucbvi-c", f"{tmp_path}/other.py:Agent", f"{tmp_path}/nowhere"):
        with pytest.raises(UsageError, match=r"ucbvi-c|there is nothing to watch"):
            watched([absent])


def test_no_report_goes_to_standard_output() -> None:
    assert without_watch(["check", "a", "--watch", "-x"]) == ["check", "a", "-x"]
    with pytest.raises(UsageError, match="give a path"):
        without_watch(["check", "a", "--watch", "--output", "json=-"])


def test_it_checks_again_after_a_change_and_says_which_verdicts_changed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The check is a script that writes the next of two records; waiting is what an editor does meanwhile."""
    first = sample().algorithms[0]
    conforming = tuple(replace(claim, verdict="conforms") for claim in first.claims)
    for number, claims in enumerate((first.claims, conforming)):
        record = replace(sample(), algorithms=(replace(first, claims=claims),))
        (tmp_path / f"{number}.json").write_text(json.dumps(record.to_json()))
    script, turns = tmp_path / "script", tmp_path / "turns"
    turns.write_text("")
    script.write_text(
        "import os, shutil, sys\n"
        f"turns = open({str(turns)!r}, 'a+'); turns.seek(0); turn = len(turns.read()); turns.write('.')\n"
        f"shutil.copy(f'{tmp_path}/{{turn}}.json', os.environ['VERIFIER_WATCH_RECORD'])\n"
        "print('checked', turn, flush=True)\n"
        "sys.exit(1 - turn)\n"
    )
    project = tmp_path / "project"
    project.mkdir()
    steps = iter(
        [
            lambda: (project / "agent.py").write_text(AGENT),
            lambda: (project / "helper.py").write_text(""),  # the editor is not ready yet
            lambda: None,
        ]
    )

    def wait(seconds: float) -> None:
        step = next(steps, None)
        if step is None:
            raise KeyboardInterrupt
        step()

    code = Watch([sys.executable, str(script)], [project], wait).run()
    out, err = capfd.readouterr()
    assert code == 0
    assert out.split("checked 1\n")[0] == "checked 0\n"
    changed = next(claim.name for claim in first.claims if claim.verdict == "violated")
    assert f"Since the check before:\n  {changed}: violated -> conforms\n" in out
    assert "agent.py and 1 more changed" in err
    assert err.count(f"waiting for a change below {project}") == 2


def test_a_check_that_is_interrupted_is_no_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: object, **more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("verifier.cli.watch.subprocess.run", interrupted)
    assert Watch(["check"], [tmp_path]).run() == 130


def test_a_folder_with_the_name_of_an_algorithm_is_not_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ucbvi-ch").mkdir()
    assert watched(["./ucbvi-ch"]) == [tmp_path.resolve() / "ucbvi-ch"]
    (package,) = watched(["ucbvi-ch"])
    assert package != tmp_path.resolve() / "ucbvi-ch"


def test_a_check_that_comes_to_no_record_is_followed_by_the_next(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def stop(seconds: float) -> None:
        raise KeyboardInterrupt

    assert Watch([sys.executable, "-c", "import sys; sys.exit(2)"], [tmp_path], stop).run() == 2
    assert "Since" not in capfd.readouterr().out


def test_nothing_has_changed() -> None:
    assert compared(sample(), sample()) == "No verdict has changed.\n"
