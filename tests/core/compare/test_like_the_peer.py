"""Files of both cores of another compiler beside ours: each figure is that of the files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core import cli
from tests.core.peer import NEEDS_PEER, compiled_by_peer

pytestmark = NEEDS_PEER

PAIRS = (
    "u55-128-shared-256k/vww_96_int8",
    "u55-256-shared-perf/resnet8_int8",
    "u55-32-shared-64k/person_detect",
    "u55-64-sramonly-perf/micro_speech_quantized",
    "u65-256-dedicated-384k/kws_dscnn_int8",
    "u65-256-shared-48k/str_ww_int8",
)


@pytest.mark.parametrize("core", ["legacy", "regor"])
@pytest.mark.parametrize("pair", PAIRS)
def test_each_figure_is_that_of_the_files(
    pair: str, core: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, options, _, theirs = compiled_by_peer(pair, tmp_path, core)
    # The other compiler's own file of configs is not ours; the presets have the same names.
    named = [options.index(name) for name in options if name == "--config"]
    target = [word for at, word in enumerate(options) if not named or at - named[0] not in (0, 1)]
    ours, read = tmp_path / "ours.json", tmp_path / "theirs.json"
    assert cli.main(["schedule", str(model), *target, "--json", str(ours)]) == 0
    assert cli.main(["schedule", str(theirs), *target, "--json", str(read)]) == 0
    found = tmp_path / "found.json"
    code = cli.main(["compare", str(theirs), str(ours), *target, "--json", str(found)])
    assert code == 1
    capsys.readouterr()
    compared = json.loads(found.read_text())
    sides = {"a": json.loads(read.read_text()), "b": json.loads(ours.read_text())}
    for side, plain in sides.items():
        check_totals(compared["totals"], side, plain["totals"])
        check_operators(compared["operators"], side, plain)
    causes = compared["causes"]
    assert causes[0]["cycles"] == compared["cause"]["cycles"]
    for cause in causes:
        members = [compared["operators"][at] for at in cause["pairs"]]
        assert cause["cycles"] == sum(each["difference_cycles"] for each in members)
        firsts = {(each["differences"] or [{"aspect": None}])[0]["aspect"] for each in members}
        assert firsts == {cause["aspect"]}
    whole = sum(each["difference_cycles"] for each in compared["operators"])
    assert sum(each["cycles"] for each in causes) == pytest.approx(whole, abs=1e-3)


def check_totals(told: dict[str, Any], side: str, totals: dict[str, Any]) -> None:
    for name, value in totals.items():
        if value is not None:
            assert told[name][side] == value
    for each in told.values():
        if None not in (each["a"], each["b"]):
            assert each["difference"] == each["b"] - each["a"]


def check_operators(told: list[dict[str, Any]], side: str, plain: dict[str, Any]) -> None:
    ops = [op for island in plain["schedules"] for op in island["ops"]]
    places = [place for pair in told for place in pair[f"{side}_operators"]]
    assert sorted(places) == list(range(len(ops)))
    for pair in told:
        mine = [ops[place]["cost"]["total_cycles"] for place in pair[f"{side}_operators"]]
        assert (pair[f"{side}_cycles"] or 0) == sum(mine)
    total = sum(pair[f"{side}_cycles"] or 0 for pair in told)
    assert total == pytest.approx(plain["totals"]["total_cycles"])
