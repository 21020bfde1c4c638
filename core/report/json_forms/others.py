"""The keys of what other commands write."""

from __future__ import annotations

from core.base.frozen import field_names
from core.ir.sweep import Totals
from core.report.json_forms.key import Key, section

_COMPARISON = {
    "a": "object: one side",
    "b": "object: the other",
    "is_equal": "bool: whether nothing differs",
    "headline": "text: what differs, in a line",
    "estimate_error": "number?: part of the cycles by which estimates are off",
    "tells_cycles_apart": "bool: whether the difference is more than that",
    "cause": "object?: what most of the difference comes from",
    "cause.text": "text: as many causes as explain most of it, in words",
    "causes": "list: all of them, worst first; they come to the whole",
    "notes": "[text]: what is to be known of the comparison",
    "proofs": "list: with `--against`, what the execution of each side comes to",
    "proofs[].side": "text: A or B",
    "proofs[].holds": "bool?: whether it computes what the model does; null where it did not run",
    "proofs[].told": "[text]: what is wrong, before all else; or why it did not run",
    "totals.*": "object: a figure of both sides",
    "totals.*.a": "number?: of one",
    "totals.*.b": "number?: of the other",
    "totals.*.difference": "number?: what B has more",
    "operators": "list: pairs that do the same work, in the order in which they run",
    "cascades": "list: cascades of the two that have operators in common",
    "cascades[].a_pairs": "[int]: positions in `operators`",
    "cascades[].b_pairs": "[int]: likewise",
    "ranges": "list: live ranges that differ",
    "cpu_ops.a": "[text]: kinds of the operators on the CPU",
    "cpu_ops.b": "[text]: likewise",
}
_SIDE = {
    "title": "text: what it is called",
    "target.*": "text: what it was made for, by the names of the command line",
}
_CAUSE = {
    "pairs": "[int]: positions in `operators`",
    "cycles": "number: that it explains",
    "share": "number: of the whole difference",
    "aspect": "text?: what differs there",
    "about": "text?: of which map",
    "a": "any: on one side, or null",
    "b": "any: on the other, or null",
}
_PAIR = {
    "name": "text: of the source operator or its output",
    "kind": "text: on the NPU",
    "a_operators": "[int]: numbers on one side",
    "b_operators": "[int]: numbers on the other",
    "a_cycles": "number?: null where there is none",
    "b_cycles": "number?: null where there is none",
    "difference_cycles": "number: what B takes more",
    "differences": "list: what differs",
    "differences[].aspect": "text: as in `causes`",
    "differences[].about": "text?: of which map",
    "differences[].a": "any: on one side, or null",
    "differences[].b": "any: on the other, or null",
}
_RANGE = {
    "name": "text: of the tensor or operator",
    "fate": "text: what became of it",
    "a": "object?: on one side",
    "b": "object?: on the other",
    "difference_bytes": "int: what B takes more",
}
_BYTES = {
    "memory": "text: where",
    "address": "int?: in it",
    "bytes": "int: size",
    "start": "int: first time at which it is live",
    "end": "int: last time",
}


def comparison_keys() -> tuple[Key, ...]:
    """Of `compare`."""
    return (
        *section("", _COMPARISON),
        *section("a", _SIDE),
        *section("b", _SIDE),
        *section("cause", _CAUSE),
        *section("causes[]", _CAUSE),
        *section("operators[]", _PAIR),
        *section("ranges[]", _RANGE),
        *section("ranges[].a", _BYTES),
        *section("ranges[].b", _BYTES),
    )


_ERRORS = {
    "model": "text: file name of the compiled model",
    "holds": "bool: whether it computes the same",
    "fault": "text: whose fault what is off is",
    "operators": "list: of the model, in their order",
    "operators[].number": "int: position",
    "operators[].kind": "text: as the file has it",
    "operators[].name": "text: of its output",
    "operators[].runs_on": "text: NPU or CPU",
    "operators[].compiled": "object?: compiled from integer kernels; null where it cannot be seen",
    "operators[].quantised": "object?: integer kernels from real numbers, for it alone",
    "operators[].from_the_start": "object?: the same from the start of the network",
    "operators[].begins_at_cycle": "int?: cycles of all operations before it; null on the CPU, and"
    " where its output cannot be seen",
    "operators[].ends_at_cycle": "int?: the same with it",
}
_FIGURES = {
    "elements": "int: that were looked at",
    "differing": "int: that differ",
    "largest": "number: by how many steps at most",
    "mean": "number: by how many on average",
}


def error_keys() -> tuple[Key, ...]:
    """Of `verify --data`."""
    roles = ("compiled", "quantised", "from_the_start")
    figures = (key for role in roles for key in section(f"operators[].{role}", _FIGURES))
    return (*section("", _ERRORS), *figures)


_ADVICE = {
    "model": "text: file name of the model",
    "options": "[text]: words of a command line that ask for what is shown",
    "advice": "list: what helps, in the order in which it is to be read",
    "advice[].topic": "text: what it is about",
    "advice[].text": "text: what to ask for",
    "advice[].effect": "text: what that brings",
    "advice[].because": "object?: what it was tried for",
    "advice[].because.occasion": "text: what was seen",
    "advice[].because.map": "text?: of which map",
    "advice[].because.size_bytes": "int: its size",
    "advice[].because.channels": "int: that are made at once",
    "advice[].because.steps": "int: for which it is live",
    "advice[].because.readers": "int: operators that read it",
    "advice[].options": "[text]: words of a command line that ask for it",
    "advice[].edit": "open?: an edit to ask for as well, as in a file of edits",
    "advice[].tells_cycles": "bool: whether cycles differ by more than the estimate's error",
    "advice[].before": "object: what is shown",
    "advice[].after": "object: what was found",
    "on_the_cpu": "[text]: what operators on the CPU would need to have",
}
_EFFECT = {
    "total_cycles": "number: of one inference",
    "fast_storage_bytes": "int: that it takes",
    "evicted_bytes": "int: of maps that could be in fast storage and are not",
    "excess_bytes": "int: above limits",
}


def advice_keys() -> tuple[Key, ...]:
    """Of `advise` for a network."""
    effects = (*section("advice[].before", _EFFECT), *section("advice[].after", _EFFECT))
    return (*section("", _ADVICE), *effects)


_PROGRAM_ADVICE = {
    "model": "text: file name of the program",
    "advice": "list: what costs cycles at the borders of delegates",
    "advice[].kind": "text: transpose or boundary",
    "advice[].text": "text: a sentence",
    "advice[].delegate": "~int: of a transpose: which delegate",
    "advice[].at": "~text: input or output",
    "advice[].operations": "~int: that only turn it",
    "advice[].cycles": "~int: that they take",
    "advice[].share": "~number: of the delegate's cycles",
    "advice[].delegates": "~[int]: of a boundary: the two",
    "advice[].kernels": "~[text]: that the CPU runs between them",
    "advice[].copied_bytes": "~int: that are handed over",
}


def program_advice_keys() -> tuple[Key, ...]:
    """Of `advise` for a program of ExecuTorch."""
    return tuple(section("", _PROGRAM_ADVICE))


_CALIBRATION = {
    "holds": "bool: whether the measurements fit",
    "mean_error.before": "number: part of the cycles, on average, by what is assumed",
    "mean_error.after": "number: by what is fitted",
    "mean_error.left_out": "number?: where each measurement is left out in turn",
    "fitted.*": "object: a figure of the board that is fitted",
    "fitted.*.value": "number: what it is",
    "fitted.*.assumed": "number: what it was",
    "fitted.*.relative_error": "number?: part by which it may be off",
    "fitted.*.least": "number: that fits as well",
    "fitted.*.most": "number: likewise",
    "fitted.*.is_at_bound": "bool: whether it is the least or most that there can be",
    "fitted.*.is_told": "bool: whether the measurements tell it",
    "kept.*": "object: one that is left as it was",
    "kept.*.value": "number: what it is",
    "kept.*.least": "number: that fits as well",
    "kept.*.most": "number: likewise",
    "kept.*.is_told": "bool: whether the measurements tell it",
    "as_well": "list: other figures that fit as well, by name",
    "as_well[].*": "number: of a figure",
    "measurements": "list: one by one",
    "measurements[].name": "text: of the model",
    "measurements[].measured_cycles": "number: that were given",
    "measurements[].cycles_before": "number: by what was assumed",
    "measurements[].cycles_after": "number: by what is fitted",
    "measurements[].cycles_left_out": "number?: by what the others tell",
    "measurements[].bytes": "list: counters of the memories, where they were given",
    "measurements[].bytes[].port": "text: which one",
    "measurements[].bytes[].direction": "text: read or write",
    "measurements[].bytes[].counted": "number: on the board",
    "measurements[].bytes[].priced": "number: by the program",
    "does_not_fit": "object?: the measurement that the others contradict",
    "does_not_fit.name": "text: which one",
    "does_not_fit.error_of_the_others": "number: without it",
}


def calibration_keys() -> tuple[Key, ...]:
    """Of `calibrate`."""
    return tuple(section("", _CALIBRATION))


_CELLS = {
    "cells": "list: one for each model and setting",
    "cells[].model": "text: file name",
    "cells[].model_digest": "text: of its bytes",
    "cells[].settings_digest": "text: of all that was asked for",
    "cells[].reefpoint": "text: version that has found it",
    "cells[].accelerator": "text: as --accelerator-config takes it",
    "cells[].system_config": "text: as --system-config takes it",
    "cells[].memory_mode": "text: as --memory-mode takes it",
    "cells[].limit_bytes": "int?: of fast storage",
    "cells[].strategy": "text: Performance or Size",
    "cells[].engine": "text: that was asked for",
    "cells[].search": "text: likewise",
    "cells[].allocator": "text: likewise",
    "cells[].verdict": "text: fits, exceeds, differs, refused or lost",
    "cells[].error": "text?: why there is no schedule",
}


def sweep_keys() -> tuple[Key, ...]:
    """Of `sweep`; a cell without a schedule has no figures."""
    figures = {name: f"number?: {name.replace('_', ' ')}" for name in field_names(Totals)}
    return (*section("", _CELLS), *section("cells[]", figures))


_NOTES = {
    "notes": "list: one for each",
    "notes[].subject": "open: what it is about, by names, as in a file of edits",
    "notes[].text": "text: one line",
    "notes[].is_orphan": "~bool: in the JSON of a schedule: whether the network has no such name",
}


def notes_keys() -> tuple[Key, ...]:
    """Of a file for `--notes`."""
    return tuple(section("", _NOTES))


_PROGRESS = {
    "progress": "text: the stage",
    "done": "int: steps that are done",
    "total": "int: steps that there are",
}


def progress_keys() -> tuple[Key, ...]:
    """Of a line of `--progress json`."""
    return tuple(section("", _PROGRESS))
