"""A proof with a user's own inputs: a lane, rows of a table, and words; no Qt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from core.api import operator_errors
from core.api.operator_errors import ErrorFigures, OperatorError
from core.base.frozen import Frozen
from core.base.ids import NpuOpId
from core.base.sentences import capitalised
from core.ir.trace import Lane
from gui.document.answer import Answer
from gui.document.problem import Lasts, Problem
from gui.document.proof import Against, Proof, Proving
from gui.document.selection import NOTHING_SELECTED, Selection
from gui.present import units
from gui.present.compiled import is_compiled
from gui.present.rects import Floats, Ints
from gui.present.status import stage_text

KEY = "proof"
"""Of the message about the last proof."""
_HINT = (
    "The model that is compiled of what is shown is executed on arrays of NumPy, and the error of"
    " each operator is told: from integer kernels, and from real numbers."
)
NOTHING = f"Nothing is proved with inputs of your own yet.\n\n{_HINT}"
HEADERS = tuple(capitalised(head) for head in operator_errors.listing(()).headers)
STOPPED = "stopped: nothing was proved"
_EDGES = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0)
"""Steps of the output's quantisation, on average: what is above all of them is farthest off."""
_ENGINES = (Lane.MAC, Lane.ELEMENTWISE)


class ErrorLane(Frozen, eq=False):
    """Operators when they run, each as far off as it is."""

    key: Ints
    """An operator of the NPU; -1 - the position of one on the CPU."""
    start_cycle: Floats
    end_cycle: Floats
    level: Ints
    """From 0, which is exact, to `len(_EDGES)`."""
    texts: dict[int, str]
    """What is told of each key."""


def errors_by_key(
    answer: Answer, errors: Sequence[OperatorError]
) -> dict[int, tuple[OperatorError, ...]]:
    """By operator that runs, those of the original that it does the work of."""
    keys = _keys_in_compiled(answer, errors) if is_compiled(answer) else _keys_by_lineage(answer)
    found: dict[int, tuple[OperatorError, ...]] = {}
    for error in errors:
        for key in keys.get(error.number, ()):
            found[key] = (*found.get(key, ()), error)
    return found


def _keys_by_lineage(answer: Answer) -> Mapping[int, Sequence[int]]:
    """What runs, by number of the original's operators."""
    graph = answer.scheduled.graph
    keys: dict[int, list[int]] = {}
    for line in graph.lineage:
        if line.op.subgraph == 0:
            keys.setdefault(line.op.op, []).extend(line.npu_ops)
    for place, cpu_op in enumerate(graph.cpu_ops):
        if cpu_op.source.subgraph == 0:
            keys.setdefault(cpu_op.source.op, []).append(-1 - place)
    return keys


def _keys_in_compiled(
    answer: Answer, errors: Iterable[OperatorError]
) -> Mapping[int, Sequence[int]]:
    """The same where nothing but commands tells: what is seen of them, and what the CPU makes."""
    network, on_cpu = answer.scheduled.run.network, dict[str, int]()
    for place, cpu_op in enumerate(answer.scheduled.graph.cpu_ops):
        graph = network.subgraphs[cpu_op.source.subgraph]
        for made in graph.operators[cpu_op.source.op].outputs[:1]:
            on_cpu[graph.tensors[made].name] = -1 - place
    return {
        error.number: [on_cpu[error.name]]
        if error.is_on_cpu and error.name in on_cpu
        else error.npu_ops
        for error in errors
    }


def error_lane(answer: Answer, proof: Proof | None, against: Against) -> ErrorLane | None:
    """The lane of an answer; None where nothing is known of its operators."""
    if proof is None:
        return None
    errors = {
        key: [(error, figures) for error in found if (figures := against.figures(error))]
        for key, found in errors_by_key(answer, proof.found.operators).items()
    }
    known = {key: found for key, found in errors.items() if found}
    if not known:
        return None
    trace = answer.analysis.trace
    wanted = np.flatnonzero(np.isin(trace.lane, (*_ENGINES, Lane.CPU)))
    slices = wanted[np.lexsort((trace.end_cycle[wanted], trace.start_cycle[wanted]))]
    keys = np.where(trace.op < 0, -1 - trace.cpu_op, trace.op)[slices]
    # An operator is one bar until another one runs.
    first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    runs = [run for run in pairwise([*first.tolist(), len(keys)]) if int(keys[run[0]]) in known]
    key = np.array([keys[start] for start, _ in runs], dtype=np.int32)
    worst = {at: max(figures.mean for _, figures in found) for at, found in known.items()}
    return ErrorLane(
        key=key,
        start_cycle=np.array([trace.start_cycle[slices[start]] for start, _ in runs]),
        end_cycle=np.array([trace.end_cycle[slices[start:end]].max() for start, end in runs]),
        level=np.array([level_of(worst[at]) for at in key.tolist()], dtype=np.int32),
        texts={at: "\n".join(_told(*each) for each in found) for at, found in known.items()},
    )


def level_of(mean: float) -> int:
    """How far off that is, from 0 to `len(_EDGES)`."""
    return int(np.searchsorted(_EDGES, mean, side="left"))


def _told(error: OperatorError, figures: ErrorFigures) -> str:
    return (
        f"{error.kind} {error.number}: {units.count(figures.differing)} of"
        f" {units.count(figures.elements)} differ, by up to {figures.largest:.3g} steps,"
        f" {figures.mean:.3g} on average"
    )


def selection_of_error(answer: Answer, errors: Sequence[OperatorError], number: int) -> Selection:
    """What runs for an operator of the original; nothing where nothing is left of it."""
    found = errors_by_key(answer, errors)
    keys = [key for key, of in found.items() if any(error.number == number for error in of)]
    ops = [NpuOpId(key) for key in keys if key >= 0]
    if ops:
        return Selection(op=ops[0], more_ops=tuple(ops[1:]))
    return key_selection(keys[0]) if keys else NOTHING_SELECTED


def key_selection(key: int) -> Selection:
    """The operator that a bar of the lane is of."""
    return Selection(op=NpuOpId(key)) if key >= 0 else Selection(cpu_op=-1 - key)


def numbers_selected(
    answer: Answer, errors: Sequence[OperatorError], selection: Selection
) -> tuple[int, ...]:
    """Operators of the original that a selection does the work of."""
    found = errors_by_key(answer, errors)
    keys = [*selection.ops, *(() if selection.cpu_op is None else (-1 - selection.cpu_op,))]
    return tuple(dict.fromkeys(error.number for key in keys for error in found.get(key, ())))


def in_order(
    errors: Sequence[OperatorError], column: int, *, is_descending: bool
) -> tuple[OperatorError, ...]:
    """By what stands in a column; equal ones keep their order, and what is empty comes last."""
    cells = [row[column] for row in operator_errors.listing(errors).rows]
    told = [at for at, cell in enumerate(cells) if cell is not None]
    told.sort(key=lambda at: cells[at], reverse=is_descending)  # type: ignore[arg-type,return-value]  # of one kind in a column
    rest = [at for at, cell in enumerate(cells) if cell is None]
    return tuple(errors[at] for at in (*told, *rest))


def rows_of(errors: Sequence[OperatorError]) -> tuple[tuple[object, ...], ...]:
    """A row for each, under `HEADERS`."""
    return tuple(tuple(row) for row in operator_errors.listing(errors).rows)


def headline(proof: Proof, *, is_shown: bool) -> str:
    """Whether it holds, on what."""
    said = "holds" if proof.found.holds else "does not hold"
    of = "" if is_shown else "; what is shown now is another schedule"
    return f"The compiled model {said} on the inputs of {proof.name}{of}."


def sentences(proof: Proof) -> tuple[str, ...]:
    """Whose fault it is, and all else that there is to say."""
    found = proof.found
    fault = found.fault
    told = () if fault is None else (operator_errors.told(found.operators, fault),)
    return tuple(f"{capitalised(each)}." for each in (*told, *found.sentences()))


def offer_text(failure: str) -> str:
    """What is said where there is no proof."""
    return f"{failed(failure).message}\n\n{_HINT}" if failure else NOTHING


def aside_text(making: Proving | None, proof: Proof | None = None) -> str:
    """How far a proof is, or what came of it, for those who look elsewhere."""
    if making is not None:
        return progress_text(making)
    return "" if proof is None else headline(proof, is_shown=True)


def progress_text(making: Proving) -> str:
    """How far it is."""
    return stage_text(making.stage, making.done, making.total)


def failed(message: str) -> Problem:
    """Why there is none."""
    return Problem(key=KEY, message=f"Nothing was proved: {message}.", lasts=Lasts.MODEL)
