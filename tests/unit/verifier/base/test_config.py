from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.base.config import BLIND_TIMEOUT, DEEP_TIMEOUT, Config, load, usable_cpus
from verifier.base.errors import ExitCode, UsageError
from verifier.base.values import parse_duration


def write(folder: Path, text: str) -> Path:
    (folder / "pyproject.toml").write_text(text)
    return folder


def configured(folder: Path, line: str) -> Config:
    return load(write(folder, f"[tool.verifier]\n{line}\n"))


# -- where settings come from -----------------------------------------------------------------------------------------


def test_defaults_are_reproducible(tmp_path: Path) -> None:
    config = configured(tmp_path, "")
    assert config == Config(store=tmp_path / ".verifier")
    assert (config.profile, config.seed, config.budget, config.strict) == ("quick", 0, None, False)
    assert (config.timeout, config.memory, config.error_budget, config.certify_level) == (60.0, 1024, 1e-3, 0.01)
    assert config.jobs == usable_cpus() >= 1


def test_blind_trials_have_more_time_unless_it_is_given(tmp_path: Path) -> None:
    assert configured(tmp_path, "blind = true").override().timeout == BLIND_TIMEOUT
    assert configured(tmp_path, "blind = true\ntimeout = 9").override().timeout == 9
    assert configured(tmp_path, "").override(blind=True, timeout=60.0).timeout == 60
    assert configured(tmp_path, "").override(blind=True, timeout=None).timeout == BLIND_TIMEOUT
    assert configured(tmp_path, "").override(profile="deep").timeout == DEEP_TIMEOUT
    assert configured(tmp_path, "blind = true\nprofile = 'deep'").override().timeout == DEEP_TIMEOUT
    assert configured(tmp_path, "timeout = 30").override(profile="deep").timeout == 30.0
    assert configured(tmp_path, "blind = true").override(blind=False).timeout == 60


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="affinity cannot be set")
def test_only_usable_processors_count() -> None:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        assert Config().jobs == 1
    finally:
        os.sched_setaffinity(0, before)


def test_all_keys_can_be_set(tmp_path: Path) -> None:
    text = """
    [tool.verifier]
    profile = "deep"
    seed = 5
    jobs = 3
    budget = "5min"
    strict = true
    store = "kept/results"
    timeout = "2min"
    memory = 512
    error-budget = 0.01
    certify_level = 0.05
    output = ["html=out/report.html", "json=-", "junit=/elsewhere/junit.xml"]
    """
    assert load(write(tmp_path, text)) == Config(
        profile="deep",
        seed=5,
        jobs=3,
        budget=300.0,
        strict=True,
        store=tmp_path / "kept" / "results",
        timeout=120.0,
        memory=512,
        error_budget=0.01,
        certify_level=0.05,
        output=(f"html={tmp_path / 'out' / 'report.html'}", "json=-", "junit=/elsewhere/junit.xml"),
    )


def test_the_nearest_file_counts(tmp_path: Path) -> None:
    inner = tmp_path / "inner" / "deeper"
    inner.mkdir(parents=True)
    configured(tmp_path, "seed = 1")
    assert load(inner).seed == 1
    assert load(inner).store == tmp_path / ".verifier"
    write(tmp_path / "inner", "[project]\nname = 'other'\n")
    assert load(inner).seed == 0
    assert load(inner).store == tmp_path / "inner" / ".verifier"


def test_without_a_file_there_are_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "is_file", lambda path: False)
    assert load(tmp_path) == Config(store=tmp_path / ".verifier")


def test_the_command_line_wins_and_none_is_not_given(tmp_path: Path) -> None:
    config = configured(tmp_path, "seed = 1\njobs = 3")
    changed = config.override(seed=2, jobs=None, budget="90s", store="here", output=("json=a.json",))
    assert (changed.seed, changed.jobs, changed.budget) == (2, 3, 90.0)
    assert (changed.store, changed.output) == (Path("here"), ("json=a.json",))
    assert config.seed == 1


# -- mistakes ---------------------------------------------------------------------------------------------------------

MISTAKES = [
    ("sead = 1", "unknown key 'sead'", "Did you mean 'seed'?"),
    ("error_buget = 0.1", "unknown key 'error_buget'", "Did you mean 'error_budget' or"),
    ("xyzzy = 1", "unknown key 'xyzzy'", "Known: blind, budget, certify_level"),
    ("profile = 'fast'", "profile = 'fast'", "one of 'quick', 'standard', 'deep'"),
    ("profile = 3", "profile = 3", "one of 'quick'"),
    ("seed = -1", "seed = -1", "not negative"),
    ("seed = 1.0", "seed = 1.0", "an integer"),
    ("seed = true", "seed = true", "an integer"),
    ("jobs = 0", "jobs = 0", "at least 1"),
    ("jobs = '2'", "jobs = '2'", "at least 1"),
    ("budget = 'soon'", "budget = 'soon'", "'5min'"),
    ("budget = 0", "budget = 0", "a positive number of seconds"),
    ("budget = inf", "budget = inf", "a positive number of seconds"),
    ("budget = nan", "budget = nan", "a positive number of seconds"),
    ("budget = true", "budget = true", "a positive number of seconds"),
    ("strict = 1", "strict = 1", "true or false"),
    ("store = 3", "store = 3", "the path of a directory"),
    ("store = ''", "store = ''", "the path of a directory"),
    ("timeout = '-5s'", "timeout = '-5s'", "a positive number of seconds"),
    ("memory = 10", "memory = 10", "at least 256"),
    ("error_budget = 0", "error_budget = 0", "strictly between 0 and 1"),
    ("error-budget = 1.0", "error_budget = 1.0", "strictly between 0 and 1"),
    ("certify_level = 'low'", "certify_level = 'low'", "strictly between 0 and 1"),
    ("output = 'html=a'", "output = 'html=a'", "a list of texts FORMAT=PATH"),
    ("output = ['html']", "output = ['html']", "a list of texts FORMAT=PATH"),
    ("output = [3]", "output = [3]", "a list of texts FORMAT=PATH"),
    ("error-budget = 0.1\nerror_budget = 0.1", "'error_budget' is set twice", "remove one"),
]


@pytest.mark.parametrize(("line", "given", "expected"), MISTAKES, ids=[line for line, _, _ in MISTAKES])
def test_a_mistake_names_the_file_the_key_and_what_was_expected(tmp_path: Path, line: str, given: str, expected: str) -> None:
    with pytest.raises(UsageError) as caught:
        configured(tmp_path, line)
    message = str(caught.value)
    for part in (str(tmp_path / "pyproject.toml"), "[tool.verifier]", given, expected):
        assert part in message, message
    assert caught.value.exit_code is ExitCode.USAGE


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[tool.verifier]\nseed = \n", ("not valid TOML", "line 2")),
        ("[[tool.verifier]]\nseed = 1\n", ("expected the table [tool.verifier]",)),
        ("tool = 3\n", ("'tool' is 3", "expected the table [tool.verifier]")),
    ],
)
def test_a_file_that_cannot_be_understood(tmp_path: Path, text: str, parts: tuple[str, ...]) -> None:
    with pytest.raises(UsageError) as caught:
        load(write(tmp_path, text))
    for part in (str(tmp_path / "pyproject.toml"), *parts):
        assert part in str(caught.value)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_bytes(b"name = '\xff'")
    with pytest.raises(UsageError, match="UTF-8"):
        load(tmp_path)


def test_a_file_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> str:
        raise PermissionError(13, "Permission denied")

    write(tmp_path, "")
    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(UsageError, match="Permission denied"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("wrong", "parts"),
    [
        ({"jobs": 0}, ("command line: jobs = 0", "at least 1")),
        ({"memory": 10**12 * 2**20}, ("memory = 1048576000000000000", "at most 8796093022207")),
        ({"memory": 10**400}, ("memory = an integer of very many digits",)),
        ({"jobs": 10**9}, ("jobs = 1000000000", "at most 10000")),
        ({"seed": 10**400}, ("seed = an integer of very many digits", "at most 100 digits")),
        ({"budget": 10**400}, ("budget = an integer of very many digits", "at most 1e+09 s")),
        ({"timeout": "9" * 400}, ("timeout = '999", "at most 1e+09 s")),
        ({"store": "a\0b"}, ("store = 'a\\x00b'", "path of a directory")),
        ({"output": ["json=a\0b"]}, ("output = ", "FORMAT=PATH")),
        ({"sead": None}, ("command line", "Did you mean 'seed'?")),
    ],
)
def test_mistakes_on_the_command_line(wrong: dict[str, Any], parts: tuple[str, ...]) -> None:
    with pytest.raises(UsageError) as caught:
        Config().override(**wrong)
    for part in parts:
        assert part in str(caught.value)


# -- durations --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90.0),
        ("5min", 300.0),
        ("5 m", 300.0),
        ("2h", 7200.0),
        ("1h30min", 5400.0),
        (" 1H 30Min 5 s ", 5405.0),
        ("1.5h", 5400.0),
        (".5s", 0.5),
        ("90", 90.0),
        (90, 90.0),
        (0.25, 0.25),
    ],
)
def test_durations(text: str | float, seconds: float) -> None:
    assert parse_duration(text) == seconds


positive = st.floats(min_value=1e-6, max_value=1e9)


@given(positive)
def test_a_plain_number_is_seconds(seconds: float) -> None:
    assert parse_duration(seconds) == seconds
    assert parse_duration(f"{seconds:.9f}") == parse_duration(f"{seconds:.9f}s") == float(f"{seconds:.9f}")


@given(st.integers(1, 10**5), st.sampled_from([("s", 1), ("sec", 1), ("m", 60), ("min", 60), ("h", 3600)]))
def test_a_unit_multiplies(amount: int, unit: tuple[str, int]) -> None:
    assert parse_duration(f"{amount}{unit[0]}") == amount * unit[1]


@given(st.integers(0, 99), st.integers(0, 59), st.integers(0, 59))
def test_parts_add_up(hours: int, minutes: int, seconds: int) -> None:
    total = 3600 * hours + 60 * minutes + seconds
    text = f"{hours}h{minutes}min{seconds}s"
    if total:
        assert parse_duration(text) == total
    else:
        with pytest.raises(UsageError):
            parse_duration(text)


@given(st.text(max_size=12))
def test_any_text_is_a_positive_duration_or_a_usage_error(text: str) -> None:
    seconds, message = None, ""
    try:
        seconds = parse_duration(text)
    except UsageError as error:
        message = str(error)
    assert repr(text) in message if seconds is None else 0 < seconds < math.inf


@pytest.mark.parametrize("text", ["", "s", "5 parsecs", "-5s", "1e400", "9" * 400 + "h", "٣s", "5min min", True, None, [1]])
def test_what_is_no_duration(text: Any) -> None:
    with pytest.raises(UsageError, match="expected a positive number of seconds"):
        parse_duration(text)
