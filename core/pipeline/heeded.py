"""Which edits a search heeds, and why it does not heed others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from core.base.frozen import Frozen, replace
from core.edits.kind import Here
from core.edits.kinds import kind_of
from core.edits.resolve import Resolved, fixed_by, resolve
from core.ir.edits import Edit, EditFate, EditOutcome
from core.ir.fixed import Against, Fixed
from core.ir.npugraph import NpuGraph
from core.ir.options import Options
from core.ir.scheduled import Scheduled
from core.schedule.run import Prepared

ByPlace = Mapping[int, tuple[Against, ...]]


class Heeded(Frozen, kw_only=False, dict=True):
    """Edits that are possible beside each other, and why others are not."""

    resolved: Resolved
    edits: Mapping[int, Edit]
    """By place."""
    left_out: ByPlace
    """What is not possible beside others that were asked for, or at all."""

    @classmethod
    def of(
        cls, graph: NpuGraph, options: Options, obeying: Callable[[Fixed], Prepared]
    ) -> tuple[Heeded, Prepared]:
        """Edits of which each is whole: one that is partly impossible is left out with all that it
        says, and the others are looked at anew."""
        resolved = resolve(graph, options.edits)
        heeded = cls(resolved, resolved.asked, {})
        while True:
            prepared = obeying(heeded.fixed)
            refused = (each for each in prepared.against if each.instead is None)
            lost = by_place(resolved, refused)
            if heeded.edits.keys().isdisjoint(lost):
                return heeded, prepared
            heeded = heeded.without(lost)

    def without(self, lost: ByPlace) -> Heeded:
        """The same less some of the edits."""
        kept = {place: edit for place, edit in self.edits.items() if place not in lost}
        gone = {place: reasons for place, reasons in lost.items() if place in self.edits}
        return Heeded(self.resolved, kept, {**self.left_out, **gone})

    @cached_property
    def fixed(self) -> Fixed:
        """What they fix."""
        return fixed_by(self.edits.values(), self.resolved.names)


def by_place(resolved: Resolved, against: Iterable[Against]) -> dict[int, tuple[Against, ...]]:
    """Reasons by the places of the edits that they are about."""
    found: defaultdict[int, dict[Against, None]] = defaultdict(dict)
    for each in against:
        for place in resolved.places(each.decided):
            found[place][each] = None
    return {place: tuple(reasons) for place, reasons in found.items()}


def without_refused(options: Options, found: Scheduled) -> Options:
    """The same question less the edits that are refused; the others keep their places."""
    edits = (
        replace(outcome.edit, is_on=False) if outcome.fate is EditFate.REFUSED else outcome.edit
        for outcome in found.edits
    )
    return replace(options, edits=tuple(edits))


def with_refused(first: Scheduled, rest: Scheduled) -> Scheduled:
    """A schedule that was searched without the edits that a first search did not honour, and what
    became of all of them."""
    settled = resolve(first.graph, first.options.edits)

    def outcome(place: int, before: EditOutcome, now: EditOutcome) -> EditOutcome:
        if before.fate is not EditFate.REFUSED:
            return now
        if place in settled.settled:
            return before
        edit, here = before.edit, Here(rest.schedule, rest.layout, settled.names)
        return replace(before, applied=kind_of(edit.what).applied(here, edit))

    pairs = enumerate(zip(first.edits, rest.edits, strict=True))
    edits = tuple(outcome(place, before, now) for place, (before, now) in pairs)
    return replace(rest, options=first.options, edits=edits)
