"""Every key of a schedule's JSON, with what it means; a page for whoever writes scripts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, get_args

from core.base.frozen import field_names
from core.ir.cost import Bound, Direction, Purpose, Term
from core.ir.decisions import Decision
from core.report.decisions_json import kind_of
from core.report.ecosystem_names import AREA_COLUMNS, AREA_TITLES
from core.report.roofline import ROOFS, WORK
from core.report.totals import PURPOSES
from core.target.target import Area

ANY = "*"
"""Stands for keys that are names or numbers."""
ELEMENT = "[]"


class Key(NamedTuple):
    """A key by its path, and what is there."""

    path: str
    meaning: str


def _section(path: str, rows: dict[str, str]) -> Iterator[Key]:
    yield from (Key(f"{path}.{name}" if path else name, text) for name, text in rows.items())


def keys() -> tuple[Key, ...]:
    """All of them in the order in which they are written; those of decisions are apart."""
    return (
        *_section("", _TOP),
        *_section("allocations[]", _ALLOCATION),
        *_section("allocations[].live_ranges[]", _LIVE_RANGE),
        *_section("schedules[]", _SCHEDULE),
        *_section("schedules[].ops[]", _OP),
        *(
            key
            for role, what in (("ifm", "input"), ("ifm2", "second input"), ("ofm", "output"))
            for key in _section(
                f"schedules[].ops[].feature_maps.{role}",
                {name: text.format(what) for name, text in _MAP.items()},
            )
        ),
        *_section("schedules[].ops[].weight_buffers[]", _BUFFER),
        *_section("schedules[].ops[].cost", _COST),
        *_section("schedules[].cascades[]", _CASCADE),
        *_section("schedules[].evicted[]", _EVICTED),
        *_section("counts", _COUNTS),
        *_section("where_time_goes[]", _CAUSE),
        *_section("roofline", ROOFS),
        *_section("range", _RANGE),
        *_section("range.cases[]", _CASE),
        *_section("totals", dict(_totals())),
        *_section("target", _TARGET),
        *_section("regions[]", _REGION),
        *_section("front[]", dict(_front())),
        *_section("edits[]", _EDIT),
        *_section("around", _AROUND),
        *_section("around.followed[]", _FOLLOWED),
        *_section("notes[]", _NOTE),
    )


_TOP = {
    "model": "file name of the model",
    "core": "who wrote this: reefpoint",
    "compiled_by": "of a compiled model that was read back: its compiler; null otherwise",
    "options": "words of a command line that asks for the same",
    f"sram_limit.{ANY}": "by command stream: bytes of fast storage that the search might use;"
    " null of a compiled model",
    "allocations": "one object for each range of addresses",
    "schedules": "one object for each command stream",
    "cpu_ops": "kinds of the operators on the CPU, in their order",
    f"summary.{ANY}": "figures as texts, by the column names of the ecosystem's summaries",
    "where_time_goes": "what decides operators, those with most cycles first",
    "regions": "what each memory has to hold, and what it may",
    "front": "schedules that were found beside this one, from the smallest to the fastest",
    "decisions": "what was tried, chosen, and why; see below",
    "warnings": "what is to be known of the network, as sentences",
    "edits": "what became of each edit, where any was asked for",
    "notes": "what the user has to say of operators, maps and times, where there is any",
}
_RANGE = {
    "low_cycles": "the least that it takes with these or somewhat other memories",
    "high_cycles": "the most; of a compiled model there is no range, but null",
    "cases": "the same schedule with other memories, one at a time",
}
_CASE = {
    "memories": "which memory is how many times as fast, or its latency as long",
    "cycles": "cycles of one inference then",
}
_CAUSE = {
    "decides": "what these operators are slow for",
    "operators": "how many there are",
    "cycles": "cycles of these operators",
    "share": "of the cycles of all operators",
    "what_to_do": "a sentence",
}
_COUNTS = {
    "npu_operators": "operators on the NPU, as the app counts them; the ecosystem counts passes",
    "cpu_operators": "operators on the CPU",
    "command_streams": "parts of the network that the NPU runs in one go",
    "cascades": "groups of operators that run stripe by stripe",
    "cascaded_operators": "operators in them",
    "evictions": "groups of maps that could be in fast storage and are not; null of a"
    " compiled model",
}
_ALLOCATION = {
    "mem_area": "memory: Sram, Dram, OnChipFlash, OffChipFlash",
    "mem_types": "regions that share these addresses",
    "total": "bytes from address 0 to the highest that is used",
    "live_ranges": "one object for each range of bytes",
}
_LIVE_RANGE = {
    "name": "of the first tensor, or of the operator whose weights or table it holds",
    "start": "first time at which it is live, counted from the start of the network",
    "end": "last time at which it is live",
    "bytes": "size",
    "address": "in its memory",
    "purpose": "FeatureMap, Weights, LUT or Reserved",
    "tensors": "all that share these bytes",
    "mem_type": "region",
    "op": "position of the operator among all of the network, where it belongs to one",
    "buffer": "which of the operator's weight buffers it is, from 0",
}
_SCHEDULE = {
    "subgraph": "name of the command stream",
    "label": "which candidate of the search was taken",
    "fast_storage_peak_usage": "most bytes of fast storage that are live at once",
    "memory_snapshot": "bytes of fast storage that are live at each time",
    "ops": "operators in the order in which they run",
    "cascades": "groups of operators that run stripe by stripe",
    "evicted": "feature maps that could be in fast storage and are not; with --search compatible"
    " without those that cascades make, which its compiler does not count; not there of a compiled"
    " model",
}
_OP = {
    "index": "position in the command stream",
    "number": "as the app numbers it, over all command streams",
    "name": "of the source operator or its output",
    "type": "kind of the operator on the NPU",
    "activation": "what is applied to its output, or null",
    "kernel": "width, height, stride along x and y, dilation along x and y",
    "sources": "source operators that it does the work of, as [subgraph, position]",
    "block_config": "height and width of the output block, depth of the input and output block",
    "ifm_block": "input block as [1, height, width, depth]",
    "ofm_block": "output block as [1, height, width, depth]",
    "acc_type": "kind of the accumulators, by its number in the ecosystem",
    "is_partkernel": "whether weights are taken kernel by kernel and not by depth",
    "stripe": "what is made at once of the output",
    "stripe_input": "what is read of the input for that",
    "stripe_input2": "the same of the second input, or null",
    "cascade": "position of the last operator of its cascade; 0 where it is in none",
    "time_index": "when it runs, as live ranges count",
    "depth_slices": "output channels at which slices of weights begin, and the end",
    "encoded_weight_bytes": "bytes of the weight stream with its scales; null without weights",
    "weight_buffers": "buffers in fast storage that weights go through",
    "full_weight_transfer_cycles": "cycles in which the whole stream can be brought",
    "slice_bytes": "bytes of each slice of weights",
    "encoding": "digest of the weight stream: where it is equal, streams are",
    "weights_address": "of the weight stream where it is stored, or null",
    "table_address": "of its look-up table, or null",
    "op_cycles": "cycles of the accelerator while all it needs is where it should be",
    "op_macs": "multiplications",
    "slack_buffering_cycles": "cycles under which DMA for the next operator can run; null of a"
    " compiled model",
    "slack_buffering_memory": "bytes of fast storage that are free while it runs; null of a"
    " compiled model",
}
_MAP = {
    "name": "of the {}",
    "shape": "of the {}, as it is seen by the operator",
    "touched": "shape of the part of it that is touched",
    "bits": "of an element",
    "constant": "whether its values are known",
    "format": "NHWC (rows) or NHCWB16 (bricks of 16 channels)",
    "mem_area": "memory that it is in",
    "mem_type": "region that it is in",
    "rolling": "shape of what exists of it at once, where a cascade hands it on; else null",
    "address": "in its memory, or null",
}
_BUFFER = {
    "bytes": "size",
    "sub_purpose": "DoubleBuffer where there are two, else Standard",
    "pre_buffer": "whether it is filled while the operator before runs",
    "address": "in fast storage",
}
_CYCLES = {
    "npu_cycles": "cycles of the accelerator",
    **{
        f"{name}_cycles": f"cycles in which {AREA_TITLES[area]} is busy"
        for area, name in AREA_COLUMNS.items()
    },
}
_COST = {
    **_CYCLES,
    "total_cycles": "cycles that it takes, with all that it waits for",
    "bound": "what it waits for: npu or a memory",
    "limit": "what its blocks wait for inside the accelerator",
    "decides": "what it is slow for: one of `terms`; null where it takes no cycles",
    "next": "what would decide if that were faster, or null",
    **{
        f"terms.{term.name.lower()}": f"cycles of {term.value}, if nothing else took any"
        for term in Term
    },
    **WORK,
    "ecosystem_cycles": "what the ecosystem's compiler would estimate; null of a compiled model",
}
_CASCADE = {
    "key": "what its operators have under `cascade`",
    "start": "position of its first operator",
    "end": "position of its last operator",
    "mem_usage": "bytes that the search counted for it",
    f"buffers.{ANY}": "by position of the operator that reads it: shape of a rolling buffer",
    f"buffer_bytes.{ANY}": "its size",
    f"buffer_addresses.{ANY}": "its address",
    "overlays": "pairs of whole maps at its ends that may share bytes",
    "overlays[].read": "map whose rows nobody reads any more when others are written over them",
    "overlays[].written": "map that is written there",
    "overlays[].lead_bytes": "by how much it has to begin before the other, at least",
}
_EVICTED = {
    "name": "of the first map",
    "start": "first time at which it would be live in fast storage",
    "end": "last time",
    "bytes": "size",
    "address": "where it is instead",
    "tensors": "all that share its bytes",
}
_TARGET = {
    "accelerator_config": "as --accelerator-config takes it",
    "system_config": "as --system-config takes it",
    "memory_mode": "as --memory-mode takes it",
    "arena_cache_size": "bytes of fast storage that may be used; null of a compiled model",
}
_REGION = {
    "area": "memory",
    "regions": "regions that share its addresses",
    "required": "bytes that it has to hold",
    "limit": "bytes that it may hold, or null",
    "excess": "bytes by which it is above its limit; null of a compiled model",
    "lower_bound": "no layout of these ranges is lower, as far as that is proven",
    "is_proven_optimal": "whether it is as low as that",
}
_EDIT = {
    "asked": "the edit, as in a file of edits",
    "fate": "honoured, changed, refused, orphan or off",
    "applied": "what the schedule has there, or null",
    "reasons": "why it is not so: ground, proof, bytes, what is against it, what is legal",
    "cycles.with": "cycles of this schedule",
    "cycles.without": "cycles without the edit, or null where that was not tried",
    "fast_storage_bytes.with": "bytes of fast storage of this schedule",
    "fast_storage_bytes.without": "the same without the edit, or null",
    "evicted_bytes.with": "bytes evicted in this schedule",
    "evicted_bytes.without": "the same without the edit, or null",
    "ways_out": "what was tried and would let a refused edit be, with what it brings",
}

_AROUND = {
    "cycles": "of edits around a schedule that was shown: its cycles; the price is the difference"
    " to `totals.total_cycles`",
    "fast_storage_bytes": "its bytes of fast storage",
    "evicted_bytes": "its bytes evicted",
    "is_within_limits": "whether it was",
    "followed": "decisions and addresses that had to be others beside the edits; all else is as it"
    " was shown",
    "anew": "the same figures of a new search with the edits, where that was tried; else null",
}
_FOLLOWED = {
    "subject": "whom it is about, by name, as in a file of edits",
    "what": "which decision, as in a file of edits",
    "before": "what was decided, or null",
    "now": "what is",
    "because": "why it could not stay",
}
_NOTE = {
    "subject": "what it is about, by names, as in a file of edits",
    "text": "one line",
    "is_orphan": "whether the network has no such name",
}


def _totals() -> Iterator[tuple[str, str]]:
    yield "total_cycles", "cycles of one inference: the sum of what operators take"
    yield "ecosystem_cycles", "the same by the ecosystem's estimate; null of a compiled model"
    yield from _CYCLES.items()
    yield "inference_seconds", "time of one inference"
    yield "macs", "multiplications of one inference"
    yield "fast_storage_bytes", "bytes of the memory that has fast storage, or is it"
    for area, name in AREA_COLUMNS.items():
        yield f"{name}_bytes", f"bytes that {AREA_TITLES[area]} has to hold"
    yield "excess_bytes", "bytes above limits; null of a compiled model, which does not tell them"
    yield (
        "evicted_bytes",
        "bytes of maps that could be in fast storage and are not; null of a compiled model",
    )
    yield "evicted_maps", "how many groups of maps these are, or null"
    yield "original_weight_bytes", "weights in the model; null of a compiled one"
    yield "encoded_weight_bytes", "the same encoded, without scales; null of a compiled model"
    for area, name in AREA_COLUMNS.items():
        yield f"{name}_moved_bytes", f"bytes that {AREA_TITLES[area]} reads and writes"
    for area, name in AREA_COLUMNS.items():
        yield from _traffic(area, name)
    yield "npu_operators", "operators on the NPU"
    yield "cpu_operators", "operators on the CPU"
    yield "command_streams", "runs of operators on the NPU without the CPU between"
    yield "cascades", "groups of operators that run stripe by stripe"
    yield "cascaded_operators", "operators in them"


def _traffic(area: Area, name: str) -> Iterator[tuple[str, str]]:
    for purpose in Purpose:
        for direction in Direction:
            key = f"{name}_{PURPOSES[purpose]}_{direction.value}_bytes"
            deed = "read from" if direction is Direction.READ else "written to"
            yield key, f"bytes of {purpose.value} {deed} {AREA_TITLES[area]}"


def _front() -> Iterator[tuple[str, str]]:
    yield "fast_storage_peak_usage", "most bytes of fast storage that are live at once"
    yield (
        "cycles",
        "cycles of one inference; with --engine pareto without addresses, but for what is taken",
    )
    for bound in Bound:
        yield f"cycles_by_bound.{bound.value}", f"cycles of {bound.value}"
    yield "macs", "multiplications"
    for area in Area:
        yield f"traffic_bytes.{area.value}", f"bytes that {AREA_TITLES[area]} moves"
    yield "seconds", "time of one inference"
    yield "cascades", "how many cascades it has"
    yield "cascaded_ops", "operators in them"
    yield "evicted_bytes", "bytes of maps that could be in fast storage and are not"
    yield "is_taken", "whether it is this schedule"
    yield "ecosystem_cycles", "what it was found by; with --search compatible --engine pareto"
    yield "engine", "whose search found it; with --search best"
    yield "searched_bytes", "limit of that search, or null"
    yield "changes", "parts that were searched again after that, all others as they were"


def render() -> str:
    """The page."""
    rows = "\n".join(f"| `{key.path}` | {key.meaning} |" for key in keys())
    decisions = "\n".join(_decision(kind) for kind in get_args(Decision))
    return (
        "# The JSON of a schedule\n\n"
        "`reefpoint schedule MODEL --json F`, `compile --schedule-json F` and the app's export"
        " write these keys; of a compiled model too. Those up to `summary` are the ecosystem's."
        " Names of `totals` end with their unit. `[]` stands for each element of a list, `*` for"
        " names and numbers; `edits`, `around` and `notes` are there where there are any.\n\n"
        "This page is made by `core/report/schedule_keys.py`.\n\n"
        f"| key | what it is |\n|---|---|\n{rows}\n\n"
        "## Decisions\n\nEach has a `kind`, and the fields of that kind: ids, numbers and words of"
        f" enumerations.\n\n| kind | what it tells | fields |\n|---|---|---|\n{decisions}\n"
    )


def _decision(kind: type[Any]) -> str:
    what = (kind.__doc__ or "").strip().partition("\n")[0].rstrip(".")
    names = ", ".join(f"`{name}`" for name in field_names(kind))
    return f"| `{kind_of(kind)}` | {what} | {names} |"
