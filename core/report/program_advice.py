"""What would make a program of ExecuTorch faster, as far as its calls and streams show it alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from core.base.harmless import visible
from core.emit.conventions import CUSTOM_CODE
from core.emit.study import PartStudy
from core.emit.turned import Turned, turned_ends
from core.ir.network import Network
from core.ir.program import Program
from core.report.json_forms.stamp import stamp
from core.report.words import counted

_COPY = "copy "
"""Begins the names of copies that the runtime makes around delegates."""


def program_advice(
    network: Network, program: Program, studies: Sequence[PartStudy]
) -> list[dict[str, Any]]:
    """Each piece of advice with its figures, and in words."""
    if not program.pools:
        return []
    return [*_turned(studies), *_boundaries(network, program)]


def describe(name: str, advice: list[dict[str, Any]]) -> dict[str, Any]:
    """Advice as JSON is written."""
    return {**stamp("advice for a program"), "model": name, "advice": advice}


def _turned(studies: Sequence[PartStudy]) -> Iterator[dict[str, Any]]:
    for number, study in enumerate(studies):
        for end in turned_ends(study.part.stream):
            yield _transpose(number, study, end)


def _transpose(number: int, study: PartStudy, end: Turned) -> dict[str, Any]:
    cycles, whole = study.cycles_of(end.commands), study.npu_cycles
    what = "input" if end.is_input else "output"
    share = cycles / whole if whole else 0.0
    return {
        "kind": "transpose",
        "delegate": number,
        "at": what,
        "operations": len(end.commands),
        "cycles": cycles,
        "share": round(share, 4),
        "text": f"delegate {number} only turns its {what} in"
        f" {counted(len(end.commands), 'operation')}, {cycles:,} of the {whole:,} cycles"
        f" ({share:.0%}) that its operations take without waiting for each other or for weights;"
        " a model and inputs that are exported channels-last (torch.channels_last) need none",
    }


def _boundaries(network: Network, program: Program) -> Iterator[dict[str, Any]]:
    """From one delegate of a plan to the next, what the CPU has to do."""
    pairs = enumerate(zip(program.parts, program.parts[1:], strict=False))
    for number, (before, after) in pairs:
        if before.op.subgraph != after.op.subgraph:
            continue
        between = network.subgraphs[before.op.subgraph].operators[before.op.op + 1 : after.op.op]
        kernels = [
            op.title for op in between if op.title != CUSTOM_CODE and not op.title.startswith(_COPY)
        ]
        copied = sum(item.size_bytes for item in (*before.outputs, *after.inputs))
        told = ", ".join(dict.fromkeys(kernels)) or "nothing"
        yield {
            "kind": "boundary",
            "delegates": [number, number + 1],
            "kernels": kernels,
            "copied_bytes": copied,
            "text": visible(
                f"between delegates {number} and {number + 1} the CPU copies {copied:,} bytes and"
                f" runs {told}; where the accelerator takes what is between, both are one delegate"
            ),
        }
