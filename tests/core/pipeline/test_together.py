"""Several models in one device: where their arenas lie, and what each may take."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import main as program
from core.ir.together import Arena, Calls
from core.memory.arenas import place
from core.target.format import ALIGNMENT_BYTES

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
KWS, SHUFFLE = (EXAMPLES / f"{name}.tflite" for name in ("kws_dscnn", "shuffle_with_cpu"))


@st.composite
def arenas(draw: st.DrawFn) -> Arena:
    blocks = draw(st.integers(1, 12))
    states = draw(st.lists(st.integers(0, blocks - 1), max_size=2, unique=True))
    spans = tuple((at * ALIGNMENT_BYTES, (at + 1) * ALIGNMENT_BYTES) for at in sorted(states))
    return Arena(model="", base=0, height_bytes=blocks * ALIGNMENT_BYTES, states=spans)


def bytes_of(arena: Arena) -> set[int]:
    return set(range(arena.base, arena.end))


def states_of(arena: Arena) -> set[int]:
    return {arena.base + byte for first, end in arena.states for byte in range(first, end)}


def holds(placed: Sequence[Arena]) -> bool:
    return all(
        not states_of(one) & bytes_of(other)
        for one in placed
        for other in placed
        if one is not other
    )


@given(given_arenas=st.lists(arenas(), min_size=1, max_size=4))
def test_no_arena_lies_over_a_state_of_another(given_arenas: list[Arena]) -> None:
    placed = place(given_arenas, Calls.IN_TURN)
    assert holds(placed)
    assert [each.height_bytes for each in placed] == [each.height_bytes for each in given_arenas]
    if not any(each.states for each in given_arenas):
        assert all(each.base == 0 for each in placed)


@given(given_arenas=st.lists(arenas(), min_size=2, max_size=2))
def test_two_arenas_take_as_little_as_can_be(given_arenas: list[Arena]) -> None:
    peak = max(each.end for each in place(given_arenas, Calls.IN_TURN))
    most = sum(each.height_bytes for each in given_arenas)
    for bases in product(range(0, most, ALIGNMENT_BYTES), repeat=2):
        moved = [
            Arena(model="", base=base, height_bytes=each.height_bytes, states=each.states)
            for base, each in zip(bases, given_arenas, strict=True)
        ]
        assert not holds(moved) or max(each.end for each in moved) >= peak


@given(given_arenas=st.lists(arenas(), min_size=1, max_size=4))
def test_nested_models_have_no_byte_in_common(given_arenas: list[Arena]) -> None:
    placed = place(given_arenas, Calls.NESTED)
    assert sum(len(bytes_of(each)) for each in placed) == len(
        set().union(*(bytes_of(each) for each in placed))
    )


def told(tmp_path: Path, *words: object, code: int = 0) -> dict:
    file = tmp_path / "told.json"
    assert program.main(["schedule", *map(str, words), "--json", str(file), "--force"]) == code
    return json.loads(file.read_text("utf-8"))


def test_models_share_a_limit_by_what_each_cannot_do_without(tmp_path: Path) -> None:
    words = (KWS, "--with", SHUFFLE, "--calls", "nested")
    free = told(tmp_path, *words)["together"]
    (memory,) = free["memories"]
    assert memory["limit_bytes"] is None
    assert memory["peak_bytes"] == sum(arena["bytes"] for arena in memory["arenas"])
    limit = memory["peak_bytes"] - 1024
    both = told(tmp_path, *words, "--arena-cache-size", limit, "--strict")
    (memory,) = both["together"]["memories"]
    assert both["together"]["fits"]
    assert memory["peak_bytes"] <= limit
    own, _ = memory["arenas"]
    assert both["totals"]["total_cycles"] == pytest.approx(own["cycles"])


def test_models_in_turn_lie_over_each_other(tmp_path: Path) -> None:
    (memory,) = told(tmp_path, KWS, "--with", SHUFFLE)["together"]["memories"]
    assert memory["peak_bytes"] == max(arena["bytes"] for arena in memory["arenas"])


def test_what_has_no_room_beside_others_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (KWS, "--with", SHUFFLE, "--calls", "nested", "--arena-cache-size", "4K", "--strict")
    both = told(tmp_path, *words, code=3)
    assert not both["together"]["fits"]
    assert "more than the 4,096 that they may use together" in capsys.readouterr().err


def test_a_compiled_model_is_taken_as_it_is(tmp_path: Path) -> None:
    compiled = tmp_path / "compiled.tflite"
    assert program.main(["compile", str(SHUFFLE), "-o", str(compiled), "--with", str(KWS)]) == 0
    beside = told(tmp_path, KWS, "--with", compiled)["together"]
    assert [arena["model"] for arena in beside["memories"][0]["arenas"]] == [
        KWS.name,
        compiled.name,
    ]
    other = told(tmp_path, compiled, "--with", KWS)["together"]
    assert other["memories"][0]["peak_bytes"] == beside["memories"][0]["peak_bytes"]
    words = ["schedule", str(KWS), "--with", str(compiled)]
    assert program.main([*words, "--accelerator-config", "ethos-u65-256"]) == 2
