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
from core.ir.options import Options, Search
from core.ir.settings import Settings
from core.ir.sweep import Totals, Verdict
from core.ir.together import Arena, Calls
from core.memory.arenas import place
from core.sweep.models import Models
from core.sweep.plan import plan
from core.sweep.work import Ask, Batch, Benches, Found, Wants
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


def cells(models: Models, *limits: int) -> tuple[Found, ...]:
    """What a worker makes of the only model of a sweep."""
    ((key, (model, _)),) = models.by_digest.items()
    direct = Settings(options=Options(search=Search.DIRECT))
    asks = [
        Ask(settings=each.swept.digest, target=each.target, options=each.options)
        for each in plan(direct, {"limit_bytes": limits}).asked
    ]
    batch = Batch(
        model=key,
        name=model.name,
        asks=tuple(asks),
        wants=Wants(schedules=True),
        company=models.company,
    )
    return Benches().compute(models.bytes_of(key), batch, lambda: 0.0)


def figures(found: Found) -> Totals:
    assert found.outcome.totals is not None
    return found.outcome.totals


def test_a_cell_of_a_sweep_is_of_all_models_in_a_device() -> None:
    limits = 24 << 10, 256 << 10
    tight, wide = cells(Models.found([KWS], [SHUFFLE], Calls.NESTED), *limits)
    assert [tight.outcome.verdict, wide.outcome.verdict] == [Verdict.EXCEEDS, Verdict.FITS]
    alone = [figures(cells(Models.found([path]), limits[1])[0]) for path in (KWS, SHUFFLE)]
    assert figures(wide).cycles == sum(each.cycles for each in alone)
    assert figures(wide).fast_bytes == sum(each.fast_bytes for each in alone)
    (memory,) = json.loads(wide.schedule)["together"]["memories"]
    assert memory["peak_bytes"] == figures(wide).fast_bytes
    (turns,) = cells(Models.found([KWS], [SHUFFLE]), limits[1])
    assert figures(turns).fast_bytes == max(each.fast_bytes for each in alone)


def test_a_sweep_keeps_models_apart_by_what_is_beside_them() -> None:
    found = [
        Models.found([KWS]),
        Models.found([KWS], [SHUFFLE]),
        Models.found([KWS], [SHUFFLE], Calls.NESTED),
        Models.found([KWS], [SHUFFLE, KWS]),
    ]
    assert len({key for each in found for key in each.by_digest}) == len(found)
    names = [model.name for each in found for model, _ in each.by_digest.values()]
    both = f"{KWS.name} + {SHUFFLE.name}"
    assert names == [KWS.name, both, f"{both}, nested", f"{both} + {KWS.name}"]


def test_what_cannot_be_beside_a_swept_model_is_told_by_its_name(tmp_path: Path) -> None:
    broken = tmp_path / "broken.tflite"
    broken.write_bytes(b"nothing")
    (cell,) = cells(Models.found([KWS], [broken]), 64 << 10)
    assert cell.outcome.verdict is Verdict.REFUSED
    assert cell.outcome.error.startswith("broken.tflite: ")
    words = ["sweep", str(KWS), "--with", str(tmp_path / "none.tflite")]
    assert program.main([*words, "-o", str(tmp_path / "s.sqlite")]) == 2


def test_boards_are_tried_with_all_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    compiled = tmp_path / "compiled.tflite"
    assert program.main(["compile", str(SHUFFLE), "-o", str(compiled)]) == 0
    capsys.readouterr()
    words = ["boards", str(KWS), "--on", "corstone-300,corstone-310", "--calls", "nested", "--with"]
    assert program.main([*words, str(SHUFFLE)]) == 0
    assert f"{KWS.name} + {SHUFFLE.name}" in capsys.readouterr().out
    assert program.main([*words, str(compiled)]) == 0
    assert "compiled.tflite is compiled for ethos-u55-256, and what is" in capsys.readouterr().out
