"""Each map can be asked to stay away from fast storage, whoever would lie on it there."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.api.networks import run
from core.base.frozen import replace
from core.edits.names import Names
from core.ir.edits import Edit, EditFate, Living, What
from core.ir.options import Options
from core.pipeline.scheduled import Workbench
from core.target.resolve import resolve

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
TARGET = resolve("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram").with_limit(192 << 10)


@pytest.mark.parametrize("name", ["kws_dscnn", "resnet8"])
def test_a_map_that_others_may_lie_on_can_be_sent_away_alone(name):
    """In place operators let two maps have one life; the judges refuse what is in both memories."""
    options = Options()
    bench = Workbench(run((EXAMPLES / f"{name}.tflite").read_bytes(), TARGET, options))
    free = bench.schedule(TARGET, options)
    names = Names.of(free.graph)
    groups = [item.fms for area in free.layout.areas for item in area.placements]
    shared = {fm for fms in groups if len(fms) > 1 for fm in fms}
    assert shared
    for fm in sorted(shared):
        edit = Edit(subject=names.maps[fm], what=What.REGION, value=Living.SLOW)
        done = bench.schedule(TARGET, replace(options, edits=(edit,)))
        (outcome,) = done.edits
        assert outcome.fate is EditFate.HONOURED
