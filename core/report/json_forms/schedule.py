"""Every key of a schedule's JSON, with what it means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from core.base.frozen import field_names
from core.ir.cost import Bound, Direction, Purpose, Term
from core.ir.decisions import Decision
from core.report.decisions_json import kind_of
from core.report.ecosystem_names import AREA_COLUMNS, AREA_TITLES
from core.report.json_forms.key import ANY, Key, section, told_as
from core.report.roofline import ROOFS, WORK
from core.report.totals import PURPOSES
from core.target.target import Area


def keys() -> tuple[Key, ...]:
    """All of them in the order in which they are written; those of decisions are apart."""
    return (
        *section("", _TOP),
        *section("allocations[]", _ALLOCATION),
        *section("allocations[].live_ranges[]", _LIVE_RANGE),
        *section("schedules[]", _SCHEDULE),
        *section("schedules[].ops[]", _OP),
        Key(
            "schedules[].ops[].feature_maps.ifm2", "~object", "the second input, where there is one"
        ),
        *(
            key
            for role, what in (("ifm", "input"), ("ifm2", "second input"), ("ofm", "output"))
            for key in section(
                f"schedules[].ops[].feature_maps.{role}",
                {name: text.format(what) for name, text in _MAP.items()},
            )
        ),
        *section("schedules[].ops[].weight_buffers[]", _BUFFER),
        *section("schedules[].ops[].cost", _COST),
        *section("schedules[].cascades[]", _CASCADE),
        *section("schedules[].evicted[]", _EVICTED),
        *section("counts", _COUNTS),
        *section("where_time_goes[]", _CAUSE),
        *section("roofline", told_as("number?", ROOFS)),
        *section("range", _RANGE),
        *section("range.cases[]", _CASE),
        *section("totals", dict(_totals())),
        *section("target", _TARGET),
        *section("regions[]", _REGION),
        *section("front[]", dict(_front())),
        *section("edits[]", _EDIT),
        *section("around", _AROUND),
        *section("around.followed[]", _FOLLOWED),
        *section("notes[]", _NOTE),
        *section("together", _TOGETHER),
        *section("together.memories[]", _SHARED),
        *section("together.memories[].arenas[]", _ARENA),
    )


_TOP = {
    "model": "text: file name of the model",
    "core": "text: who wrote this: reefpoint",
    "compiled_by": "text?: of a compiled model that was read back: its compiler; null otherwise",
    "options": "[text]: words of a command line that asks for the same",
    f"sram_limit.{ANY}": "int?: by command stream: bytes of fast storage that the search might use;"
    " null of a compiled model",
    "allocations": "list: one object for each range of addresses",
    "schedules": "list: one object for each command stream",
    "cpu_ops": "[text]: kinds of the operators on the CPU, in their order",
    f"summary.{ANY}": "text?: figures as texts, by the column names of the ecosystem's summaries",
    "where_time_goes": "list: what decides operators, those with most cycles first",
    "range": "object?: what it may be with somewhat other memories; null of a compiled model",
    "regions": "list: what each memory has to hold, and what it may",
    "front": "list: schedules that were found beside this one, from the smallest to the fastest",
    "decisions": "[any]: what was tried, chosen, and why; see below",
    "warnings": "[text]: what is to be known of the network, as sentences",
    "edits": "~list: what became of each edit, where any was asked for",
    "around": "~object: of edits around a schedule that was shown: what it was",
    "together": "~object: with --with: all models of one device",
    "notes": "~list: what the user has to say of operators, maps and times, where there is any",
}
_RANGE = {
    "low_cycles": "number: the least that it takes with these or somewhat other memories",
    "high_cycles": "number: the most",
    "cases": "list: the same schedule with other memories, one at a time",
}
_CASE = {
    "memories": "text: which memory is how many times as fast, or its latency as long",
    "cycles": "number: cycles of one inference then",
}
_CAUSE = {
    "decides": "text: what these operators are slow for",
    "operators": "int: how many there are",
    "cycles": "number: cycles of these operators",
    "share": "number: of the cycles of all operators",
    "what_to_do": "text: a sentence",
}
_COUNTS = {
    "npu_operators": "int: operators on the NPU, as the app counts them; the ecosystem counts"
    " passes",
    "cpu_operators": "int: operators on the CPU",
    "command_streams": "int: parts of the network that the NPU runs in one go",
    "cascades": "int: groups of operators that run stripe by stripe",
    "cascaded_operators": "int: operators in them",
    "evictions": "int?: groups of maps that could be in fast storage and are not; null of a"
    " compiled model",
}
_ALLOCATION = {
    "mem_area": "text: memory: Sram, Dram, OnChipFlash, OffChipFlash",
    "mem_types": "[text]: regions that share these addresses",
    "total": "int: bytes from address 0 to the highest that is used",
    "live_ranges": "list: one object for each range of bytes",
}
_LIVE_RANGE = {
    "name": "text: of the first tensor, or of the operator whose weights or table it holds",
    "start": "int: first time at which it is live, counted from the start of the network",
    "end": "int: last time at which it is live",
    "bytes": "int: size",
    "address": "int: in its memory",
    "purpose": "text: FeatureMap, Weights, LUT or Reserved",
    "tensors": "[text]: all that share these bytes",
    "mem_type": "text: region",
    "op": "int?: position of the operator among all of the network, where it belongs to one",
    "buffer": "int?: which of the operator's weight buffers it is, from 0",
}
_SCHEDULE = {
    "subgraph": "text: name of the command stream",
    "label": "text: which candidate of the search was taken",
    "fast_storage_peak_usage": "int: most bytes of fast storage that are live at once",
    "memory_snapshot": "[int]: bytes of fast storage that are live at each time",
    "ops": "list: operators in the order in which they run",
    "cascades": "list: groups of operators that run stripe by stripe",
    "evicted": "~list: feature maps that could be in fast storage and are not; with --search"
    " compatible"
    " without those that cascades make, which its compiler does not count; not there of a compiled"
    " model",
}
_OP = {
    "index": "int: position in the command stream",
    "number": "int: as the app numbers it, over all command streams",
    "name": "text: of the source operator or its output",
    "type": "text: kind of the operator on the NPU",
    "activation": "text?: what is applied to its output, or null",
    "kernel": "[int]: width, height, stride along x and y, dilation along x and y",
    "sources": "[[int]]: source operators that it does the work of, as [subgraph, position]",
    "block_config": "[int]: height and width of the output block, depth of the input and output"
    " block",
    "ifm_block": "[int]: input block as [1, height, width, depth]",
    "ofm_block": "[int]: output block as [1, height, width, depth]",
    "acc_type": "text: kind of the accumulators, by its number in the ecosystem",
    "is_partkernel": "bool: whether weights are taken kernel by kernel and not by depth",
    "stripe": "[int]: what is made at once of the output",
    "stripe_input": "[int]: what is read of the input for that",
    "stripe_input2": "[int]?: the same of the second input, or null",
    "cascade": "int: position of the last operator of its cascade; 0 where it is in none",
    "time_index": "int: when it runs, as live ranges count",
    "depth_slices": "[int]: output channels at which slices of weights begin, and the end",
    "encoded_weight_bytes": "int?: bytes of the weight stream with its scales; null without"
    " weights",
    "weight_buffers": "list: buffers in fast storage that weights go through",
    "full_weight_transfer_cycles": "int: cycles in which the whole stream can be brought",
    "slice_bytes": "~[int]: bytes of each slice of weights",
    "encoding": "~text: digest of the weight stream: where it is equal, streams are",
    "weights_address": "int?: of the weight stream where it is stored, or null",
    "table_address": "int?: of its look-up table, or null",
    "op_cycles": "int: cycles of the accelerator while all it needs is where it should be",
    "op_macs": "int: multiplications",
    "slack_buffering_cycles": "int?: cycles under which DMA for the next operator can run; null"
    " of a"
    " compiled model",
    "slack_buffering_memory": "int?: bytes of fast storage that are free while it runs; null of a"
    " compiled model",
}
_MAP = {
    "name": "text: of the {}",
    "shape": "[int]: of the {}, as it is seen by the operator",
    "touched": "[int]: shape of the part of it that is touched",
    "bits": "int: of an element",
    "constant": "bool: whether its values are known",
    "format": "text: NHWC (rows) or NHCWB16 (bricks of 16 channels)",
    "mem_area": "text: memory that it is in",
    "mem_type": "text: region that it is in",
    "rolling": "[int]?: shape of what exists of it at once, where a cascade hands it on; else null",
    "address": "int?: in its memory, or null",
}
_BUFFER = {
    "bytes": "int: size",
    "sub_purpose": "text: DoubleBuffer where there are two, else Standard",
    "pre_buffer": "bool: whether it is filled while operators before run",
    "lead_steps": "int: how many operators or cascades before its own these may be; 0 for none",
    "address": "int?: in fast storage",
}
_CYCLES = {
    "npu_cycles": "int: cycles of the accelerator",
    **{
        f"{name}_cycles": f"number: cycles in which {AREA_TITLES[area]} is busy"
        for area, name in AREA_COLUMNS.items()
    },
}
_COST = {
    **_CYCLES,
    "total_cycles": "number: cycles that it takes, with all that it waits for",
    "bound": "text: what it waits for: npu or a memory",
    "limit": "text: what its blocks wait for inside the accelerator",
    "decides": "text?: what it is slow for: one of `terms`; null where it takes no cycles",
    "next": "text?: what would decide if that were faster, or null",
    **{
        f"terms.{term.name.lower()}": f"number: cycles of {term.value}, if nothing else took any"
        for term in Term
    },
    **told_as("number", WORK),
    "ecosystem_cycles": "number?: what the ecosystem's compiler would estimate; null of a"
    " compiled model",
}
_CASCADE = {
    "key": "int: what its operators have under `cascade`",
    "start": "int: position of its first operator",
    "end": "int: position of its last operator",
    "mem_usage": "int: bytes that the search counted for it",
    f"buffers.{ANY}": "[int]: by position of the operator that reads it: shape of a rolling buffer",
    f"buffer_bytes.{ANY}": "int: its size",
    f"buffer_addresses.{ANY}": "int?: its address",
    "overlays": "list: pairs of whole maps at its ends that may share bytes",
    "overlays[].read": "text: map whose rows nobody reads any more when others are written over"
    " them",
    "overlays[].written": "text: map that is written there",
    "overlays[].lead_bytes": "int: by how much it has to begin before the other, at least",
}
_EVICTED = {
    "name": "text: of the first map",
    "start": "int: first time at which it would be live in fast storage",
    "end": "int: last time",
    "bytes": "int: size",
    "address": "int?: where it is instead",
    "tensors": "[text]: all that share its bytes",
}
_TARGET = {
    "accelerator_config": "text: as --accelerator-config takes it",
    "system_config": "text: as --system-config takes it",
    "memory_mode": "text: as --memory-mode takes it",
    "arena_cache_size": "int?: bytes of fast storage that may be used; null of a compiled model",
}
_REGION = {
    "area": "text: memory",
    "regions": "[text]: regions that share its addresses",
    "required": "int: bytes that it has to hold",
    "limit": "int?: bytes that it may hold, or null",
    "excess": "int?: bytes by which it is above its limit; null of a compiled model",
    "lower_bound": "int: no layout of these ranges is lower, as far as that is proven",
    "is_proven_optimal": "bool: whether it is as low as that",
}
_EDIT = {
    "asked": "open: the edit, as in a file of edits",
    "fate": "text: honoured, changed, refused, orphan or off",
    "applied": "any: what the schedule has there, or null",
    "reasons": "[any]: why it is not so: ground, proof, bytes, what is against it, what is legal",
    "cycles.with": "number: cycles of this schedule",
    "cycles.without": "number?: cycles without the edit, or null where that was not tried",
    "fast_storage_bytes.with": "int: bytes of fast storage of this schedule",
    "fast_storage_bytes.without": "int?: the same without the edit, or null",
    "evicted_bytes.with": "int: bytes evicted in this schedule",
    "evicted_bytes.without": "int?: the same without the edit, or null",
    "ways_out": "[any]: what was tried and would let a refused edit be, with what it brings",
}

_AROUND = {
    "cycles": "number: its cycles; the price is the difference to `totals.total_cycles`",
    "fast_storage_bytes": "int: its bytes of fast storage",
    "evicted_bytes": "int: its bytes evicted",
    "is_within_limits": "bool: whether it was",
    "followed": "list: decisions and addresses that had to be others beside the edits; all else"
    " is as it"
    " was shown",
    "anew": "open?: the same figures of a new search with the edits, where that was tried; else"
    " null",
}
_FOLLOWED = {
    "subject": "open: whom it is about, by name, as in a file of edits",
    "what": "text: which decision, as in a file of edits",
    "before": "any: what was decided, or null",
    "now": "any: what is",
    "because": "text: why it could not stay",
}
_TOGETHER = {
    "calls": "text: how the firmware calls the models: in-turn or nested",
    "fits": "bool: whether all of them are within the limit together",
    "memories": "list: each memory that has arenas",
}
_SHARED = {
    "mem_area": "text: which memory",
    "peak_bytes": "int: what all models take of it together",
    "limit_bytes": "int?: what they may take together; null where nothing limits it",
    "excess_bytes": "int: bytes that are missing",
    "arenas": "list: one object for each model, in their order",
}
_ARENA = {
    "model": "text: file name",
    "base": "int: where its arena begins",
    "bytes": "int: how long it is",
    "state_bytes": "int: of them, what lives on while other models run",
    "cycles": "number: cycles of one inference of the model",
}
_NOTE = {
    "subject": "open: what it is about, by names, as in a file of edits",
    "text": "text: one line",
    "is_orphan": "bool: whether the network has no such name",
}


def _totals() -> Iterator[tuple[str, str]]:
    yield "total_cycles", "number: cycles of one inference: the sum of what operators take"
    yield (
        "ecosystem_cycles",
        "number?: the same by the ecosystem's estimate; null of a compiled model",
    )
    yield from _CYCLES.items()
    yield "inference_seconds", "number: time of one inference"
    yield "macs", "int: multiplications of one inference"
    yield "fast_storage_bytes", "int: bytes of the memory that has fast storage, or is it"
    for area, name in AREA_COLUMNS.items():
        yield f"{name}_bytes", f"int: bytes that {AREA_TITLES[area]} has to hold"
    yield (
        "excess_bytes",
        "int?: bytes above limits; null of a compiled model, which does not tell them",
    )
    yield (
        "evicted_bytes",
        "int?: bytes of maps that could be in fast storage and are not; null of a compiled model",
    )
    yield "evicted_maps", "int?: how many groups of maps these are, or null"
    yield "original_weight_bytes", "int?: weights in the model; null of a compiled one"
    yield "encoded_weight_bytes", "int?: the same encoded, without scales; null of a compiled model"
    for area, name in AREA_COLUMNS.items():
        yield f"{name}_moved_bytes", f"number: bytes that {AREA_TITLES[area]} reads and writes"
    for area, name in AREA_COLUMNS.items():
        yield from _traffic(area, name)
    yield "npu_operators", "int: operators on the NPU"
    yield "cpu_operators", "int: operators on the CPU"
    yield "command_streams", "int: runs of operators on the NPU without the CPU between"
    yield "cascades", "int: groups of operators that run stripe by stripe"
    yield "cascaded_operators", "int: operators in them"


def _traffic(area: Area, name: str) -> Iterator[tuple[str, str]]:
    for purpose in Purpose:
        for direction in Direction:
            key = f"{name}_{PURPOSES[purpose]}_{direction.value}_bytes"
            deed = "read from" if direction is Direction.READ else "written to"
            yield key, f"number: bytes of {purpose.value} {deed} {AREA_TITLES[area]}"


def _front() -> Iterator[tuple[str, str]]:
    yield "fast_storage_peak_usage", "int: most bytes of fast storage that are live at once"
    yield (
        "cycles",
        "number: of one inference; with --engine pareto without addresses, but for what is taken",
    )
    for bound in Bound:
        yield f"cycles_by_bound.{bound.value}", f"number: cycles of {bound.value}"
    yield "macs", "int: multiplications"
    for area in Area:
        yield f"traffic_bytes.{area.value}", f"number: bytes that {AREA_TITLES[area]} moves"
    yield "seconds", "number: time of one inference"
    yield "cascades", "int: how many cascades it has"
    yield "cascaded_ops", "int: operators in them"
    yield "evicted_bytes", "int: bytes of maps that could be in fast storage and are not"
    yield "is_taken", "bool: whether it is this schedule"
    yield (
        "ecosystem_cycles",
        "~number?: what it was found by; with --search compatible --engine pareto",
    )
    yield "engine", "~text: whose search found it; with --search best"
    yield "searched_bytes", "~int?: limit of that search, or null"
    yield "changes", "~any: parts that were searched again after that, all others as they were"


def decision_schema() -> dict[str, Any]:
    """What a decision is: one of its kinds, with all fields of that."""
    return {
        "anyOf": [
            {
                "type": "object",
                "properties": {"kind": {"const": kind_of(kind)}},
                "required": ["kind", *field_names(kind)],
            }
            for kind in get_args(Decision)
        ]
    }


def decision_rows() -> Iterator[str]:
    """The lines of the table of decisions."""
    for kind in get_args(Decision):
        what = (kind.__doc__ or "").strip().partition("\n")[0].rstrip(".")
        names = ", ".join(f"`{name}`" for name in field_names(kind))
        yield f"| `{kind_of(kind)}` | {what} | {names} |"
