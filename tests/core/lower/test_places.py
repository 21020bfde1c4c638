"""What is live when items are exchanged, against what is counted anew."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.ids import FmId
from core.ir.npugraph import NpuOp
from core.ir.options import LoweringOptions
from core.lower import joins, places
from core.lower import run as lower
from core.lower.draft import Draft, Item, reads, writes
from core.lower.places import Places
from core.target.registry import accelerator_named
from tests.core.lower.nets import FREE, Line, network
from tests.networks.random_networks import random_network

U55 = accelerator_named("ethos-u55-256")


def most_live_bytes(draft: Draft, items: Sequence[Item]) -> int:
    """The same, counted from scratch at each place."""
    touched = [{*reads(item), *writes(item)} for item in items]
    sizes = []
    for at, item in enumerate(items):
        needed = set().union(*touched[at + 1 :], draft.outputs)
        begun = set().union(*touched[: at + 1], draft.inputs)
        live = begun & (needed | touched[at] - written_over(draft, item, needed))
        maps = [draft.feature_maps[fm] for fm in live if draft.feature_maps[fm].data is None]
        sizes.append(sum(math.prod(fm.shape) * fm.dtype.size_bytes for fm in maps))
    return max(sizes)


def written_over(draft: Draft, item: Item, needed: set[FmId]) -> set[FmId]:
    """The input of which an operator takes the place."""
    if not isinstance(item, NpuOp) or not item.kind.is_elementwise or item.ofm.offset is not None:
        return set()
    fitting = (
        view.fm
        for view in item.views[:-1]
        if view.shape == item.ofm.shape
        and view.offset is None
        and view.fm not in needed
        and draft.dtype(view.fm) is draft.dtype(item.ofm.fm)
    )
    return set(islice(fitting, 1))


class Counted(Places):
    """Counts anew after each exchange, and first tries to leave out some items."""

    def __init__(self, draft: Draft, items: Sequence[Item]) -> None:
        self.draft, self.exchanges = draft, 0
        super().__init__(draft, items)
        chosen, ends = random.Random(len(items)), {*draft.inputs, *draft.outputs}
        # What is outside lives at times that are no place once nobody touches it.
        inside = [at for at, item in enumerate(items) if not ends & {*reads(item), *writes(item)}]
        for _ in range(min(len(inside), 12)):
            some = chosen.sample(inside, chosen.randint(1, min(len(inside), 4)))
            before = self.exchange(dict.fromkeys(some))
            if chosen.random() < 0.5:
                other = chosen.choice(some)
                self.exchange({other: before[other]})
            self.exchange(before)
        assert self.items == list(items)

    def exchange(self, changes: Mapping[int, Item | None]) -> dict[int, Item | None]:
        before = super().exchange(changes)
        assert self.live.most == most_live_bytes(self.draft, self.items)
        self.exchanges += 1
        return before


@given(seed=st.integers(0, 1 << 20))
def test_what_is_live_is_what_is_counted_anew(seed: int):
    with pytest.MonkeyPatch.context() as patch:
        made: list[Counted] = []

        def counted(draft: Draft, items: Sequence[Item]) -> Places:
            made.append(Counted(draft, items))
            return made[-1]

        patch.setattr(joins, "Places", counted)
        lower.run(random_network(seed), U55, LoweringOptions())
        assert made


def test_looks_at_operators_grow_with_the_number_of_parts(monkeypatch: pytest.MonkeyPatch):
    """A ConvNeXt has 6,624, each of which was looked for in all operators: for two minutes."""
    looks = [0]

    def counted(item: Item) -> tuple[FmId, ...]:
        looks[0] += 1
        return reads(item)

    for module in (joins, places):
        monkeypatch.setattr(module, "reads", counted)
    found = []
    for count in (100, 200):
        parts = [f"b{number}" for number in range(count)]
        made: list[Line] = [("ABS", "a", part) for part in parts]
        joined: Line = ("CONCATENATION", " ".join(parts), "c", {"axis": 3})
        shape = (1, 8, 8, 16 * count)
        net = network([*made, joined], inputs="a", outputs="c", shapes={"c": shape})
        looks[0] = 0
        graph = lower.run(net, U55, LoweringOptions(freedoms=FREE))
        assert len(graph.ops) == count
        found.append(looks[0])
    assert found[1] <= 2.5 * found[0]
