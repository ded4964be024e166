from __future__ import annotations

import importlib
import importlib.metadata
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from verifier import Algorithm, Claim, Guarantees, Kind
from verifier.base import machine
from verifier.model.result import TrialSpec
from verifier.model.setting import Scenario
from verifier.plugins import parts, source
from verifier.plugins.source import harness_hash, source_hash, trial_key
from verifier_properties.episodes import scaling as episodes_scaling
from verifier_settings.lifelong import LIFELONG

SPEC = TrialSpec(algorithm="ucblvd", instance="onehot", regime="oracle", index=0, seed=0)
ALGORITHM = "from verifier.model.algorithm import Algorithm\nclass Mine(Algorithm):\n    name = 'mine'\n"
PROPERTY = "from verifier import run_property\n@run_property()\ndef holds(run):\n    return None\n"
CLAIM = Claim("regret", episodes_scaling.regret, "Theorem 1", "Theorem 1", "R <= K", Kind.ALWAYS)


def forget() -> None:
    for cached in (harness_hash, machine.machine, source._hash_of, source._hash_of_data, parts._imported):
        cached.cache_clear()


@pytest.fixture(autouse=True)
def _fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    forget()
    yield
    forget()
    for name in set(sys.modules) - before:
        if name.startswith("sample_"):
            del sys.modules[name]


def make(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def hash_of(module: str) -> str:
    forget()
    return source_hash(Guarantees(importlib.import_module(module).Mine))


def test_any_file_of_the_package_counts(tmp_path: Path) -> None:
    make(tmp_path, {"sample_a/__init__.py": ALGORITHM, "sample_a/deep/helper.py": "x = 1\n"})
    before = hash_of("sample_a")
    assert re.fullmatch(r"[0-9a-f]{16}", before)
    assert hash_of("sample_a") == before
    make(tmp_path, {"sample_a/deep/helper.py": "x = 2\n"})
    changed = hash_of("sample_a")
    (tmp_path / "sample_a" / "deep" / "helper.py").rename(tmp_path / "sample_a" / "deep" / "renamed.py")
    renamed = hash_of("sample_a")
    make(tmp_path, {"sample_a/native.so": "compiled"})
    compiled = hash_of("sample_a")
    assert len({before, changed, renamed, compiled}) == 4


def test_data_of_the_package_counts_and_what_python_makes_does_not(tmp_path: Path) -> None:
    make(tmp_path, {"sample_b/__init__.py": ALGORITHM, "sample_b/table.csv": "1"})
    before = hash_of("sample_b")
    make(tmp_path, {"sample_b/__pycache__/x.pyc": "c", "sample_b2/__init__.py": "other"})
    assert hash_of("sample_b") == before
    make(tmp_path, {"sample_b/table.csv": "2"})
    assert hash_of("sample_b") != before


IMPORTS = {
    "at the top": "import os, sample_bonus.of as bonus\n",
    "from it": "from sample_bonus import (\n    of,\n)\n",
    "in a function": "def run():\n    from sample_bonus.of import width\n",
    "by its name": "import importlib\ndef run():\n    return importlib.import_module('sample_bonus.of')\n",
    "through another": "import sample_between\n",
}


@pytest.mark.parametrize("text", IMPORTS.values(), ids=IMPORTS)
def test_what_a_plugin_imports_counts(text: str, tmp_path: Path) -> None:
    files = {"sample_bonus/__init__.py": "", "sample_bonus/of.py": "width = 1\n", "sample_between.py": "import sample_bonus\n"}
    make(tmp_path, {"sample_g/__init__.py": text + ALGORITHM, **files})
    before = hash_of("sample_g")
    assert hash_of("sample_g") == before
    make(tmp_path, {"sample_bonus/of.py": "width = 0.5\n"})
    assert hash_of("sample_g") != before


def test_the_files_of_the_project_count_and_what_is_written_there_does_not(tmp_path: Path) -> None:
    make(tmp_path, {"pyproject.toml": "", "src/sample_h.py": ALGORITHM, "data/scale.json": "1", "src/sample_aside.py": "x = 1\n"})
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(tmp_path / "src"))
        before = hash_of("sample_h")
        report = '{"schema": "verifier.record/1"}'
        make(tmp_path, {".verifier/x": "", "record.json": report, "report.html": "", "junit.xml": "<?xml?><testsuites>"})
        make(tmp_path, {"tests/test_x.py": "", "venv/pyvenv.cfg": "", "venv/x.py": "", "README.md": "", "dist/x": ""})
        assert hash_of("sample_h") == before
        seen = {before}
        for change in ({"data/scale.json": "2"}, {"src/sample_aside.py": "x = 2\n"}, {"data/more/new.npy": "3"}):
            make(tmp_path, change)
            seen.add(hash_of("sample_h"))
        assert len(seen) == 4


def test_a_file_beside_a_module_without_a_project_counts(tmp_path: Path) -> None:
    make(tmp_path, {"sample_i.py": ALGORITHM, "scale.txt": "1"})
    before = hash_of("sample_i")
    make(tmp_path, {"scale.txt": "0.5"})
    assert hash_of("sample_i") != before


def test_a_large_file_counts_without_being_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "_LARGE", 3)
    make(tmp_path, {"sample_j/__init__.py": ALGORITHM, "sample_j/data.npy": "1234"})
    before = hash_of("sample_j")
    os.utime(tmp_path / "sample_j/data.npy", ns=(1, 1))
    assert hash_of("sample_j") != before


def test_the_code_of_the_setting_counts(tmp_path: Path) -> None:
    def fresh() -> str:
        forget()
        return source_hash(Guarantees(mine), setting)

    make(
        tmp_path,
        {"sample_k.py": ALGORITHM, "sample_world/__init__.py": "", "sample_world/drawn.py": "def draw(seed): return 1\n"},
    )
    mine, draw = importlib.import_module("sample_k").Mine, importlib.import_module("sample_world.drawn").draw
    setting = replace(LIFELONG, catalogue=(Scenario("one", "", partial(draw)),))
    before = fresh()
    assert before != source_hash(Guarantees(mine), LIFELONG)
    make(tmp_path, {"sample_world/drawn.py": "def draw(seed): return 2\n"})
    assert fresh() != before


def test_of_a_library_its_record_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "_library_folders", lambda: frozenset({tmp_path / "lib"}))
    monkeypatch.setattr(parts, "owners", lambda: {"sample_lib": (importlib.metadata.distribution("sample-lib"),)})
    monkeypatch.syspath_prepend(str(tmp_path / "lib"))
    info, line = "lib/sample_lib-1.0.dist-info", "sample_lib/__init__.py,sha256={},1\n"
    make(tmp_path, {"lib/sample_lib/__init__.py": "", f"{info}/METADATA": "Name: sample-lib\nVersion: 1.0\n"})
    make(tmp_path, {"sample_l.py": "import sample_lib\n" + ALGORITHM, f"{info}/RECORD": line.format("a")})
    before = hash_of("sample_l")
    make(tmp_path, {f"{info}/RECORD": line.format("b")})
    assert hash_of("sample_l") != before


def test_a_library_whose_record_is_not_utf_8_counts_with_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "_library_folders", lambda: frozenset({tmp_path / "lib"}))
    monkeypatch.setattr(parts, "owners", lambda: {"sample_odd": (importlib.metadata.distribution("sample-odd"),)})
    monkeypatch.syspath_prepend(str(tmp_path / "lib"))
    info = "lib/sample_odd-1.0.dist-info"
    make(tmp_path, {"lib/sample_odd/__init__.py": "", f"{info}/METADATA": "Name: sample-odd\nVersion: 1.0\n"})
    make(tmp_path, {"sample_u.py": "import sample_odd\n" + ALGORITHM})
    (tmp_path / info / "RECORD").write_bytes("sample_odd/na\xefve.py,,\n".encode("latin-1"))
    before = hash_of("sample_u")
    assert hash_of("sample_u") == before
    make(tmp_path, {"lib/sample_odd/__init__.py": "x = 1\n"})
    assert hash_of("sample_u") != before


def test_the_packages_of_bases_count(tmp_path: Path) -> None:
    make(
        tmp_path,
        {
            "sample_base/__init__.py": ALGORITHM,
            "sample_c.py": "import sample_base\nclass Mine(sample_base.Mine): pass\n",
        },
    )
    before = hash_of("sample_c")
    make(tmp_path, {"sample_base/__init__.py": ALGORITHM + "# changed\n"})
    assert hash_of("sample_c") != before


def test_a_single_file_counts_alone(tmp_path: Path) -> None:
    make(tmp_path, {"sample_d.py": ALGORITHM})
    before = hash_of("sample_d")
    make(tmp_path, {"sample_neighbour.py": "x = 1\n"})
    assert hash_of("sample_d") == before
    make(tmp_path, {"sample_d.py": ALGORITHM + "\n"})
    assert hash_of("sample_d") != before


def test_neighbours_in_a_namespace_package_do_not_count(tmp_path: Path) -> None:
    make(tmp_path, {"sample_ns/one/__init__.py": ALGORITHM, "sample_ns/two/__init__.py": "x = 1\n"})
    before = hash_of("sample_ns.one")
    make(tmp_path, {"sample_ns/two/__init__.py": "x = 2\n"})
    assert hash_of("sample_ns.one") == before
    make(tmp_path, {"sample_ns/one/__init__.py": ALGORITHM + "\n"})
    assert hash_of("sample_ns.one") != before


def test_classes_without_a_file_have_a_hash() -> None:
    def made(module: str, name: str) -> Guarantees:
        return Guarantees(type(name, (Algorithm,), {"__module__": module, "name": "made"}))

    assert source_hash(made("nowhere", "A")) == source_hash(made("nowhere", "A")) != source_hash(made("nowhere", "B"))


def test_the_harness_and_the_standard_library_do_not_count_here() -> None:
    class Plain(Algorithm):
        pass

    assert {base.__module__ for base in Plain.__mro__} >= {"verifier.model.algorithm", "abc", "builtins"}
    assert re.fullmatch(r"[0-9a-f]{16}", source_hash(Guarantees(Plain)))
    assert source_hash(Guarantees(Algorithm)) == source_hash(Guarantees(Algorithm, (CLAIM,)))


def test_the_packages_of_properties_count(tmp_path: Path) -> None:
    make(tmp_path, {"sample_f.py": ALGORITHM, "sample_shelf/__init__.py": PROPERTY, "sample_shelf/other.py": "x = 1\n"})
    mine = importlib.import_module("sample_f").Mine
    claim = replace(CLAIM, property=importlib.import_module("sample_shelf").holds)

    def fresh() -> str:
        forget()
        return source_hash(Guarantees(mine, (claim,)))

    before = fresh()
    assert before != source_hash(Guarantees(mine, (CLAIM,)))
    make(tmp_path, {"sample_shelf/other.py": "x = 2\n"})
    assert fresh() != before


def test_the_place_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = []
    for place in ("one", "two"):
        make(tmp_path / place, {"sample_e/__init__.py": ALGORITHM, "sample_e/b.py": "b", "sample_e/a/c.py": "c"})
        with monkeypatch.context() as patch:
            patch.syspath_prepend(tmp_path / place)
            hashes.append(hash_of("sample_e"))
            patch.delitem(sys.modules, "sample_e")
    assert hashes[0] == hashes[1]


def test_the_harness_hash_follows_sources_and_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, {"sample_harness/__init__.py": "raise RuntimeError('imported')\n"})
    monkeypatch.setattr(source, "HARNESS_PACKAGES", ("sample_harness", "sample_missing"))
    seen = []
    for change in (
        lambda: None,
        lambda: make(tmp_path, {"sample_harness/__init__.py": "raise RuntimeError('still')\n"}),
        lambda: monkeypatch.setattr(importlib.metadata, "version", lambda name: "9.9"),
        lambda: monkeypatch.setattr(machine, "LIBRARIES", ("no-such-library",)),
        lambda: monkeypatch.setattr(machine, "_blas_kernels", lambda: ["Prescott"]),
        lambda: monkeypatch.setattr(machine, "_numpy_kernels", lambda: "SSE2"),
    ):
        change()
        forget()
        seen.append(harness_hash())
    assert len(set(seen)) == 6


def test_the_hashes_are_the_same_in_another_process_and_quick() -> None:
    started = time.perf_counter()
    here = harness_hash()
    assert time.perf_counter() - started < 1.0  # 7 ms where this was written
    code = f"import sys; sys.path[:] = {sys.path!r}; from verifier.plugins.source import harness_hash; print(harness_hash())"
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert there.stdout.strip() == here


# -- keys -------------------------------------------------------------------------------------------------------------


def test_everything_counts_for_the_key() -> None:
    base = trial_key(SPEC, "s", "h", {"K": 10, "delta": 0.1})
    assert re.fullmatch(r"[0-9a-f]{64}", base)
    changed: dict[str, Any] = {
        "algorithm": "x",
        "instance": "x",
        "regime": "x",
        "index": 1,
        "seed": 1,
        "blind": True,
        "claims": ("x",),
    }
    assert set(changed) == {field.name for field in fields(TrialSpec)}
    others = [trial_key(replace(SPEC, **{name: value}), "s", "h", {"K": 10, "delta": 0.1}) for name, value in changed.items()]
    others += [trial_key(SPEC, "t", "h", {"K": 10, "delta": 0.1}), trial_key(SPEC, "s", "i", {"K": 10, "delta": 0.1})]
    others += [trial_key(SPEC, "s", "h", {"K": 11, "delta": 0.1}), trial_key(SPEC, "s", "h", {"K": 10})]
    assert len({base, *others}) == len(others) + 1


def test_the_order_and_the_type_of_parameters_do_not_count() -> None:
    one = trial_key(SPEC, "s", "h", {"a": 1, "b": [0.1, 2], "c": {"x": 1}})
    two = trial_key(
        SPEC, "s", "h", MappingProxyType({"c": MappingProxyType({"x": np.int64(1)}), "b": (np.float64(0.1), 2), "a": 1})
    )
    assert one == two


@pytest.mark.parametrize("parameter", [object(), {1, 2}, b"bytes"])
def test_a_parameter_without_a_stable_text_is_refused(parameter: Any) -> None:
    with pytest.raises(TypeError, match=type(parameter).__name__):
        trial_key(SPEC, "s", "h", {"a": parameter})


def test_the_library_behind_an_adapter_is_part_of_its_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "their_library"
    package.mkdir()
    (package / "__init__.py").write_text("x = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    def hash_with(libraries: tuple[str, ...]) -> str:
        return source_hash(Guarantees(type("Adapter", (Algorithm,), {"libraries": libraries, "__module__": __name__})))

    def fresh() -> str:
        source._hash_of.cache_clear()
        return hash_with(libraries=("their_library",))

    before = fresh()
    assert fresh() == before
    (package / "__init__.py").write_text("x = 2\n")
    assert fresh() != before
    assert fresh() != hash_with(libraries=())
