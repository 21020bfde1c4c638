"""The order of execution: from the outputs backwards, with few changes between NPU and CPU."""

from __future__ import annotations

from collections.abc import Container

from core.base.frozen import NamedTuple
from core.base.ids import FmId, OpRef
from core.ir.npugraph import CpuOp, NpuOp
from core.lower.aliases import RESHAPES
from core.lower.draft import Draft, Item, Uses, reads, writes
from core.lower.variables import Pairs

_JOINS = frozenset({"CONCATENATION", "PACK"})
_RESOURCES = frozenset({"VAR_HANDLE", "READ_VARIABLE", "CALL_ONCE"})


def order_items(draft: Draft, pairs: Pairs = ()) -> list[Item]:
    """All items of a draft on which an output depends, in order of execution.

    Of each pair of operators that the CPU runs, the first comes before the second.
    """
    ordered = _depth_first(draft, pairs)
    late = {later for _, later in pairs}
    early = [item for item in ordered if _needs_only_inputs(draft, item, late)]
    rest = [item for item in ordered if not _needs_only_inputs(draft, item, late)]
    early.sort(key=lambda item: item.source.op if isinstance(item, CpuOp) else -1)
    return early + _gather_cpu(_gather_joins(rest))


def _depth_first(draft: Draft, pairs: Pairs) -> list[Item]:
    """Each item right before the first that needs it, found by walking back from the outputs.

    An item is placed once all readers of all its outputs are; the walk keeps its own stack,
    because a network can be deeper than Python's.
    """
    walk = _Walk(draft, pairs)
    for fm in draft.outputs:
        walk.visit(_Fm(fm))
    for index, item in enumerate(draft.items):
        if not writes(item):
            walk.visit(_Writer(index))
    return [draft.items[index] for index in reversed(walk.backwards)]


class _Fm(NamedTuple):
    fm: FmId


class _Writer(NamedTuple):
    position: int


class _Walk:
    """The state of one walk back from the outputs."""

    def __init__(self, draft: Draft, pairs: Pairs) -> None:
        self._items = draft.items
        self._uses = Uses.of(draft)
        self._readers_left = {fm: self._uses.count(fm) for fm in self._uses.writers}
        self._outputs_left = [self._read_outputs(item) for item in draft.items]
        self._before = self._placed_before(pairs)
        self.backwards: list[int] = []

    def _read_outputs(self, item: Item) -> int:
        return sum(self._uses.count(fm) > 0 for fm in writes(item)) or 1

    def _placed_before(self, pairs: Pairs) -> dict[int, list[_Writer]]:
        """What has to run before an item without being read by it; each waits for one more."""
        places = {item.source: at for at, item in enumerate(self._items) if isinstance(item, CpuOp)}
        before: dict[int, list[_Writer]] = {}
        for earlier, later in pairs:
            if earlier in places and later in places:
                self._outputs_left[places[earlier]] += 1
                before.setdefault(places[later], []).append(_Writer(places[earlier]))
        return before

    def visit(self, root: _Fm | _Writer) -> None:
        """Place what becomes ready when one more reader of the root has been placed."""
        stack: list[_Fm | _Writer] = [root]
        while stack:
            entry = stack.pop()
            if isinstance(entry, _Fm):
                stack.extend(self._ready_writers(entry.fm))
            elif self._is_ready(entry.position):
                self.backwards.append(entry.position)
                stack.extend(_Fm(fm) for fm in reversed(reads(self._items[entry.position])))
                stack.extend(self._before.get(entry.position, ()))

    def _ready_writers(self, fm: FmId) -> list[_Writer]:
        if fm not in self._readers_left:
            return []
        self._readers_left[fm] -= 1
        if self._readers_left[fm] != 0:
            return []
        return [_Writer(index) for index in self._uses.writers[fm]]

    def _is_ready(self, index: int) -> bool:
        self._outputs_left[index] -= 1
        return self._outputs_left[index] == 0


def _needs_only_inputs(draft: Draft, item: Item, late: Container[OpRef]) -> bool:
    """Whether the CPU can run it before anything else."""
    if not isinstance(item, CpuOp) or item.kind in RESHAPES or item.source in late:
        return False
    return item.kind in _RESOURCES or all(fm in draft.inputs for fm in item.inputs)


def _gather_joins(items: list[Item]) -> list[Item]:
    """Copies into the parts of one map come together where the CPU would run between them."""
    gathered: list[Item] = []
    for item in reversed(items):
        position = _next_part(item, gathered)
        gathered.insert(len(gathered) - position, item)
    return list(reversed(gathered))


def _next_part(item: Item, later: list[Item]) -> int:
    """How many of the later items, which stand in reverse, to move behind; 0 is no move."""
    if not isinstance(item, NpuOp) or item.origin not in _JOINS:
        return 0
    is_cut = False
    for position, other in enumerate(reversed(later)):
        is_cut = is_cut or (isinstance(other, CpuOp) and other.kind not in RESHAPES)
        is_part = isinstance(other, NpuOp) and other.origin in _JOINS
        if is_part and is_cut and writes(other) == writes(item):
            return position
    return 0


def _gather_cpu(items: list[Item]) -> list[Item]:
    """CPU operators move down to the next one, past NPU operators that do not need them."""
    gathered: list[Item] = []
    for item in reversed(items):
        position = 0
        if isinstance(item, CpuOp) and item.kind not in RESHAPES:
            position = _next_stop(item, gathered)
        gathered.insert(len(gathered) - position, item)
    return list(reversed(gathered))


def _next_stop(item: CpuOp, later: list[Item]) -> int:
    """How many of the later items, which stand in reverse, can run before this one."""
    made = set(item.outputs)
    for position, other in enumerate(reversed(later)):
        if isinstance(other, CpuOp):
            return 0 if other.kind in RESHAPES else position
        if made.intersection(reads(other)):
            return 0
    return len(later)
