"""Mutations of records, baselines, configurations and stores, and what must hold of whatever reads them.

Each attack takes a number and does the same for the same number. What is damaged is read as if nothing had happened, or is
refused with a `VerifierError`, which is a message and an exit code; any other exception is a fault of the reader.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from tests.unit.reports.gated import gated, with_bugs
from tests.unit.reports.sample import sample
from verifier.base.config import load
from verifier.base.documents import load as read_document
from verifier.base.errors import VerifierError
from verifier.commands.gate import baseline as baselines
from verifier.commands.gate import speed
from verifier.commands.gate.baseline import Accepted, Baseline, Standing
from verifier.model.measurement import Measurement
from verifier.model.result import TrialResult, TrialSpec
from verifier.record import Record
from verifier.trials.search.witness import Witness
from verifier.trials.store import Store
from verifier_reports.json_report import JsonWriter
from verifier_reports.junit import JunitWriter
from verifier_reports.markdown import MarkdownWriter
from verifier_reports.sarif import SarifWriter
from verifier_reports.terminal import TerminalWriter

ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**63, 2**64, -(2**70), 10**99, 10**400, 0.0, -0.0, 0.5, 1e308, -1e308, 5e-324, float("nan"),
    float("inf"), "", " ", "nan", "inf", "-inf", "Infinity", "x" * 300, "\ud800", "\0", "\x1b[2J", "\u202e", "漢", "conforms",
    "violated", "../..", "a/b:c", [], [[]], {}, {"": ""}, [0, 1], ["a"], {"a": {"b": [None]}},
)  # fmt: skip
BYTES = (b"\0", b"\xff", b"\xed\xa0\x80", b"[" * 2000, b"{", b"}", b'"', b",", b"9" * 400, b"-", b"1e999", b"NaN", b"\n", b"\x1b")

WRITERS = (TerminalWriter(), MarkdownWriter(), JsonWriter(), JunitWriter(), SarifWriter())
TODAY = date(2026, 5, 1)


def mutate(data: Any, chance: random.Random) -> Any:
    """A copy of JSON data with a few values replaced, removed, doubled, moved or renamed."""
    data = json.loads(json.dumps(data))
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        places = list(_places(data))
        if not places:
            break
        holder, key = chance.choice(places)
        match chance.randrange(6):
            case 0 | 1 | 2:
                holder[key] = deepcopy(chance.choice(ODD))
            case 3:
                del holder[key]
            case 4:
                other, name = chance.choice(places)
                holder[key] = json.loads(json.dumps(other[name])) if other is not holder else holder[key]
            case _ if isinstance(holder, dict):
                holder[str(chance.choice(ODD))] = holder.pop(key)
            case _:
                holder.append(holder[key])
    return data


def garble(text: bytes, chance: random.Random) -> bytes:
    """A text with a few bytes changed, cut, repeated or put in."""
    for _ in range(chance.choice((1, 1, 2, 8))):
        at, width = chance.randrange(len(text) + 1), chance.randrange(30)
        piece = chance.choice((b"", bytes([chance.randrange(256)]), chance.choice(BYTES), text[at : at + width] * 2))
        text = text[:at] + piece + text[at + width :] or b"x"
    return text


def _places(data: Any) -> Any:
    keys = list(data) if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()
    for key in keys:
        yield data, key
        yield from _places(data[key])


def written(data: Any, chance: random.Random) -> bytes:
    """JSON text of a mutation of the data, sometimes garbled instead."""
    if chance.random() < 0.3:
        return garble(json.dumps(data).encode(), chance)
    return json.dumps(mutate(data, chance)).encode()


RECORDS = tuple(json.loads(json.dumps(record.to_json())) for record in (sample(), gated(), with_bugs()))


def record(number: int, folder: Path) -> None:
    """A damaged record: each report of it is rendered, or it is refused."""
    chance = random.Random(f"record {number}")
    file = folder / "record.json"
    file.write_bytes(written(chance.choice(RECORDS), chance))
    try:
        found = Record.from_json(read_document(file, "JSON", "record", "give another", "give another"))
    except VerifierError:
        return
    for writer in WRITERS:
        try:
            writer.render(found)
        except VerifierError:
            continue


STANDING = Standing("p", {"optimism": "conforms", "regret": "vacuous"}, {"half": "killed"}, 3, {"oracle@onehot": 2.0})
BASELINE = json.loads(Baseline("quick", 0, {"mine": STANDING}, (Accepted("mine/regret", "known", "me", "2030-01-01"),)).to_text())


def baseline(number: int, folder: Path) -> None:
    """A damaged baseline: it is refused before anything is run, or everything the gate does with it afterwards works."""
    chance = random.Random(f"baseline {number}")
    file = folder / "baseline.json"
    file.write_bytes(written(BASELINE, chance))
    try:
        before = baselines.read(file)
    except VerifierError:
        return
    findings = []
    for name, standing in before.algorithms.items():
        findings += list(baselines.compare(name, STANDING, standing))
        if (found := speed.finding(name, STANDING.work, standing.work, 2.0)) is not None:
            findings.append(found)
    findings = baselines.accept(baselines.news(findings, before.algorithms), before.accepted, TODAY, str(file))
    file.write_text(before.to_text(), encoding="utf-8")
    assert baselines.read(file) == before, "what is written again is what was read"
    [writer.render(replace(gated(), gate=replace(_gate(), findings=tuple(findings)))) for writer in WRITERS]


def _gate() -> Any:
    return gated().gate


CONFIG = b"""
[tool.verifier]
profile = "quick"
seed = 5
jobs = 3
budget = "1h30min"
strict = true
blind = false
store = "kept"
timeout = 60
memory = 512
error-budget = 0.01
certify_level = 1e-2
output = ["json=a.json", "html=b.html"]
"""


def configuration(number: int, folder: Path) -> None:
    """A damaged pyproject.toml: it is refused, or gives settings that a run can use."""
    chance = random.Random(f"configuration {number}")
    lines = CONFIG.splitlines()
    if chance.random() < 0.6:
        at = chance.randrange(2, len(lines))
        value = json.dumps(chance.choice(ODD), ensure_ascii=chance.random() < 0.5)
        lines[at] = lines[at].split(b"=")[0] + b"= " + value.encode("utf-8", "surrogatepass")
        text = b"\n".join(lines)
    else:
        text = garble(CONFIG, chance)
    (folder / "pyproject.toml").write_bytes(text)
    try:
        config = load(folder)
    except VerifierError:
        return
    assert 0 <= config.seed < 10**100
    assert 1 <= config.jobs <= 10_000
    assert 0 < config.timeout <= 1e9
    assert 256 * 2**20 <= config.memory * 2**20 < 2**63
    assert "\0" not in str(config.store)


SPEC = TrialSpec("ucblvd", "onehot", "oracle", 3, 7)
RESULT = TrialResult(SPEC, {"optimism": Measurement(value=0.3, place={"h": 2}, comparisons=5)}, digest="abc", seconds=1.5)
WITNESS = Witness("ucblvd", "optimism", "lifelong", {"S": 1}, "oracle", 0, 3, Measurement(value=0.3), tables="S = 1")
ROWS = 40


def _pristine() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        with Store(folder) as store:
            for key in range(ROWS):
                store.put(str(key), replace(RESULT, digest=f"digest {key}"))
            store.put_witness(WITNESS)
            store._connection.execute("PRAGMA journal_mode = DELETE")
        return store.file.read_bytes()


PRISTINE: list[bytes] = []


def store(number: int, folder: Path) -> None:
    """A store with changed bytes: each row is what was written, or absent, or the whole is refused."""
    if not PRISTINE:
        PRISTINE.append(_pristine())
    chance = random.Random(f"store {number}")
    data = bytearray(PRISTINE[0])
    for _ in range(chance.choice((1, 1, 2, 8))):
        at, width = chance.randrange(len(data)), chance.choice((1, 1, 1, 4, 64, 4096))
        data[at : at + width] = bytes(chance.choice((chance.randrange(256), 0, 255)) for _ in range(len(data[at : at + width])))
    for left in folder.glob("results.sqlite3*"):
        left.unlink()
    (folder / "results.sqlite3").write_bytes(data)
    try:
        with Store(folder) as opened:
            for key in range(0, ROWS, 7):
                found = opened.get(str(key))
                assert found is None or repr(found) == repr(replace(RESULT, digest=f"digest {key}"))
            for found in opened.find("ucblvd", "onehot", "oracle", 3, 7):
                assert repr(replace(found, digest="")) == repr(replace(RESULT, digest=""))
            assert opened.get_witness(WITNESS.id) is None or repr(opened.get_witness(WITNESS.id)) == repr(WITNESS)
            opened.put("5", RESULT)
    except VerifierError:
        return


ATTACKS: Mapping[str, Callable[[int, Path], None]] = {
    "record": record,
    "baseline": baseline,
    "configuration": configuration,
    "store": store,
}
