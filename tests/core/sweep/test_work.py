"""A cell is what it is, whichever cells the same worker has computed before it."""

from __future__ import annotations

import itertools
from pathlib import Path

from core.base.digest import digest_bytes
from core.base.frozen import members, replace
from core.ir.options import Engine, Search
from core.ir.settings import Settings
from core.ir.sweep import Outcome, Verdict
from core.pipeline import run as stages
from core.pipeline.best.kept import Kept
from core.pipeline.compile import compile_model
from core.pipeline.scheduled import Workbench
from core.report.totals import describe_totals
from core.sweep.plan import plan
from core.sweep.work import Ask, Batch, Benches, Wants, outcome_of
from tests.core.sweep.sweeping import EXAMPLES, small_models

ASKED = plan(
    Settings(),
    {
        "limit_bytes": (6 << 10, 20 << 10),
        "search": (Search.DIRECT, Search.BEST),
        "effort": (0, 12),
        "engine": tuple(Engine),
    },
).asked

SPILLING = Settings(accelerator="ethos-u65-256")


def outcomes(
    benches: Benches, model: bytes, asks: list[Ask], fronts: Kept | None = None
) -> dict[str, tuple[Outcome, bytes]]:
    of_model = digest_bytes(model)
    batch = Batch(
        model=of_model, name="m", asks=tuple(asks), wants=Wants(schedules=True, fronts=fronts)
    )
    clock = itertools.count()
    found = benches.compute(model, batch, lambda: float(next(clock)))
    return {each.settings: (each.outcome, each.schedule) for each in found}


def test_a_name_is_one_figure_in_a_sweep_and_in_a_schedule() -> None:
    for name in ("camera_and_motion.tflite", "unet_128.tflite"):
        model = (EXAMPLES / name).read_bytes()
        (asked,) = plan(SPILLING, {"limit_bytes": (20 << 10,)}).asked
        run = stages.run(model, asked.target, asked.options)
        scheduled = Workbench(run).schedule(asked.target, asked.options)
        swept = outcome_of(scheduled).totals
        assert swept is not None
        columns, keys = members(swept), describe_totals(scheduled, None)
        assert columns["evicted_maps"]
        shared = columns.keys() & keys.keys()
        assert {"sram_moved_bytes", "evicted_maps", "evicted_bytes"} <= shared
        assert {key: columns[key] for key in shared} == {key: keys[key] for key in shared}


def test_order_and_company_make_no_difference(tmp_path: Path) -> None:
    asks = [Ask(settings=a.swept.digest, target=a.target, options=a.options) for a in ASKED]
    model = small_models(tmp_path, 2)[1].read_bytes()
    together = outcomes(Benches(), model, asks)
    assert outcomes(Benches(), model, asks[::-1]) == together
    assert len(together) == len(ASKED)
    for ask in asks[1::2]:
        assert outcomes(Benches(), model, [ask]) == {ask.settings: together[ask.settings]}


def test_fronts_that_others_have_grown_make_no_difference(tmp_path: Path) -> None:
    asks = [
        Ask(settings=a.swept.digest, target=a.target, options=a.options)
        for a in ASKED
        if a.options.is_best
    ]
    model = small_models(tmp_path, 2)[1].read_bytes()
    nobody = outcomes(Benches(), model, asks)
    kept = Kept(folder=tmp_path / "fronts")
    for ask in asks:
        # The window asks for other limits, for more steps, and goes on from where it was.
        target = ask.target.with_limit(9 << 10)
        run = stages.run(model, target, ask.options)
        for effort in (3, 20):
            options = replace(ask.options, effort=effort)
            Workbench(run, kept=kept).schedule(target, options)
    assert list(kept.folder.iterdir())
    assert outcomes(Benches(), model, asks, kept) == nobody


def test_what_was_compiled_already_is_refused() -> None:
    """There is nothing left in it to schedule, and none of its figures are a sweep's."""
    model = (EXAMPLES / "kws_dscnn.tflite").read_bytes()
    target, options = ASKED[0].target, ASKED[0].options
    compiled = compile_model(
        Workbench(stages.run(model, target, options)).schedule(target, options)
    )
    asks = [Ask(settings=a.swept.digest, target=a.target, options=a.options) for a in ASKED[:2]]
    for outcome, _ in outcomes(Benches(), compiled.data, asks).values():
        assert outcome.verdict is Verdict.REFUSED
        assert "compiled already" in outcome.error
