"""The shared models: what stays on the CPU is what the ecosystem's compiler leaves there."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from core.base.ids import SubgraphId
from core.ir.freedoms import NONE
from core.ir.options import LoweringOptions
from core.lower.fold import fold_constants
from core.lower.legality.table import place
from core.lower.source import SourceGraph
from core.target.families.ethos_u55 import FAMILY
from core.tflite import reader
from tests.shared import SHARED, files, need

PEER_NAMES = {
    "ADD": "Add",
    "ARG_MAX": "ArgMax",
    "CAST": "Cast",
    "CONCATENATION": "ConcatTFLite",
    "DEQUANTIZE": "Dequantize",
    "DIV": "Div",
    "FLOOR_DIV": "FloorDiv",
    "GATHER_ND": "GatherNd",
    "MUL": "Mul",
    "PACK": "Pack",
    "QUANTIZE": "Quantize",
    "RESHAPE": "Reshape",
    "RESIZE_BILINEAR": "ResizeBilinear",
    "SQRT": "Sqrt",
    "SUB": "Sub",
    "TRANSPOSE": "Transpose",
}
"""The compiler's own names for kinds that stay on the CPU in these models."""


def left_on_the_cpu(model: Path) -> Counter[str]:
    network = reader.read(need(model.relative_to(SHARED)).read_bytes())
    kinds: Counter[str] = Counter()
    for index, subgraph in enumerate(network.subgraphs):
        folded = fold_constants(subgraph, SubgraphId(index))
        rejected = place(
            SourceGraph.of(folded, SubgraphId(index)), FAMILY, LoweringOptions(freedoms=NONE)
        )
        kinds.update(PEER_NAMES[network.operator(ref).kind] for ref in rejected)
    return kinds


@pytest.mark.parametrize("model", files("models/*.tflite"), ids=lambda path: path.stem)
def test_the_cpu_keeps_the_same_operators(model: Path) -> None:
    ours = left_on_the_cpu(model)
    schedules = [
        json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(need("peer/schedules").glob(f"*/{model.stem}.json"))
    ]
    # Where the compiler refused the whole network, it says nothing about single operators.
    theirs = [Counter(schedule["cpu_ops"]) for schedule in schedules if "cpu_ops" in schedule]
    assert theirs
    assert all(ours == peer for peer in theirs)
