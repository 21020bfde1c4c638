"""Edits around a schedule that was shown: what they say changes, and what must follow from that.

All else stays as it is, to the address. What has no such answer is refused, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from core.base.frozen import Frozen, replace
from core.base.memo import Memo
from core.edits.closure import Closure, Reach, asked_aspects, closure_of, kept_decisions
from core.edits.freeze import freeze
from core.edits.kind import Here
from core.edits.kinds import kind_of
from core.edits.names import Names
from core.edits.resolve import Resolved, resolve
from core.edits.shown import changes, decided
from core.ir.decisions import (
    Decision,
    Fate,
    FormatChosen,
    FormatReason,
    MapPlaced,
    WeightsBuffered,
    WeightsReason,
)
from core.ir.edits import (
    Edit,
    EditFate,
    EditOutcome,
    EditPrice,
    EditReason,
    Ground,
    MapNamed,
    OpNamed,
    What,
)
from core.ir.schedule import Schedule
from core.ir.scheduled import Scheduled
from core.ir.shown import Around, Aspect, Cause, Decided, Followed, Shown, Sum

Obstacles = Mapping[int, tuple[EditReason, ...]]
"""By place: why edits cannot be beside the others."""
Realising = Callable[[tuple[Edit, ...]], Scheduled | Obstacles]
"""The schedule in which these edits, and what they leave open, are decided; addresses stay."""

_MOST_KNOWN = 32
"""Answers that undo, and what edits cost, ask for again."""
_HEARD = (EditFate.HONOURED, EditFate.CHANGED)
_CHOICES = (What.ADDRESS, What.RESERVE)
"""What is for the layout alone: no reach makes it another question."""


class Grounded(Frozen, kw_only=False, dict=True):
    """A schedule that was shown, and how others come from it."""

    shown: Shown
    ground: Scheduled
    realise: Realising

    def answer(self, edits: tuple[Edit, ...]) -> Scheduled:
        """The schedule with these edits around what was shown."""
        resolved = resolve(self.ground.graph, edits)
        refused: dict[int, tuple[EditReason, ...]] = {}
        heeded = self._heeded(edits, (), tuple(sorted(resolved.asked)), refused)
        found = self._tried(edits, heeded)
        assert isinstance(found, Scheduled)
        return self._told(found, edits, resolved, refused)

    def _heeded(
        self,
        edits: tuple[Edit, ...],
        known: tuple[int, ...],
        places: tuple[int, ...],
        refused: dict[int, tuple[EditReason, ...]],
    ) -> tuple[int, ...]:
        """Those of the places that can be beside the known ones; what came first stands."""
        if not places:
            return known
        found = self._tried(edits, (*known, *places))
        if isinstance(found, Scheduled):
            return (*known, *places)
        if len(places) == 1:
            refused[places[0]] = found
            return known
        middle = len(places) // 2
        known = self._heeded(edits, known, places[:middle], refused)
        return self._heeded(edits, known, places[middle:], refused)

    def _tried(
        self, edits: tuple[Edit, ...], places: tuple[int, ...]
    ) -> Scheduled | tuple[EditReason, ...]:
        """The schedule with some of the edits, all of which it has; or why there is none."""
        asked = tuple(edits[place] for place in places)
        found = self._known.answer(asked, lambda: self._reached(asked))
        if isinstance(found, Scheduled):
            return found
        # Whoever asks knows the edits by their places among all.
        return tuple(replace(each, edits=tuple(places[at] for at in each.edits)) for each in found)

    @cached_property
    def _known(self) -> Memo[tuple[Edit, ...], Scheduled | tuple[EditReason, ...]]:
        return Memo(_MOST_KNOWN)

    def _reached(self, asked: tuple[Edit, ...]) -> Scheduled | tuple[EditReason, ...]:
        """The schedule with these edits in the narrowest reach that has one."""
        if not asked:
            schedule = _with_reasons(self.ground, ())
            return replace(self.ground, schedule=schedule, around=self._around(()))
        reasons: tuple[EditReason, ...] = ()
        for reach in Reach:
            if reach > Reach.EDITED and all(edit.what in _CHOICES for edit in asked):
                break
            closure = closure_of(self.ground, asked, reach)
            found = self._within(asked, closure)
            if isinstance(found, Scheduled):
                return found
            reasons = _better(reasons, found)
            if any(each.is_proved for each in found):
                # Whatever else is released, it cannot be.
                break
        return reasons or (EditReason(ground=Ground.HELD, is_proved=False),)

    def _within(
        self, asked: tuple[Edit, ...], closure: Closure
    ) -> Scheduled | tuple[EditReason, ...]:
        """The schedule that differs from the ground in what is asked, and within a closure."""
        kept = tuple(kept_decisions(self.ground.graph, self._frozen, closure, asked))
        found = self.realise((*asked, *kept))
        count = len(asked)
        if not isinstance(found, Scheduled):
            return _against_ground(found, asked, kept)
        lost = {
            place: each.reasons
            for place, each in enumerate(found.edits)
            if each.fate not in (_HEARD if place < count else (EditFate.HONOURED,))
        }
        if lost:
            return _against_ground(lost, asked, kept)
        if self.ground.layout.is_within_limits and not found.layout.is_within_limits:
            return (_no_room(found),)
        followed = self._followed(found, asked, closure)
        if followed is None:
            return ()
        return replace(
            found,
            schedule=_with_reasons(found, asked),
            edits=found.edits[:count],
            around=self._around(followed),
        )

    def _followed(
        self, found: Scheduled, asked: Sequence[Edit], closure: Closure
    ) -> tuple[Followed, ...] | None:
        """What the edits have carried along; None where that is not theirs to change."""
        own = asked_aspects(asked, Names.of(found.graph))
        every = changes(self._before, _decided(found))
        rest = {aspect: both for aspect, both in every.items() if aspect not in own}
        causes = {
            aspect: Cause.ROOM if aspect[0] is What.ADDRESS else closure.released.get(aspect)
            for aspect in rest
        }
        if None in causes.values():
            return None
        return tuple(
            Followed(what=what, subject=subject, before=before, now=now, cause=cause)
            for (what, subject), (before, now) in rest.items()
            if (cause := causes[what, subject]) is not None
        )

    @cached_property
    def _frozen(self) -> tuple[Edit, ...]:
        """All that the ground decides."""
        return freeze(self.ground.graph, self.ground.schedule, self.ground.target)

    @cached_property
    def _before(self) -> dict[Aspect, Decided]:
        return _decided(self.ground)

    def _around(self, followed: tuple[Followed, ...]) -> Around:
        return Around(shown=self.shown, ground=sum_of(self.ground), followed=followed)

    def _told(
        self,
        found: Scheduled,
        edits: tuple[Edit, ...],
        resolved: Resolved,
        refused: Mapping[int, tuple[EditReason, ...]],
    ) -> Scheduled:
        """The schedule with what became of all edits, in their order."""
        heard = iter(found.edits)
        is_one = len(found.edits) == 1

        def outcome(place: int, edit: Edit) -> EditOutcome:
            if place in resolved.settled:
                return resolved.settled[place]
            if place not in refused:
                became = next(heard)
                return replace(became, price=self._price(found)) if is_one else became
            here = Here(found.schedule, found.layout, resolved.names)
            return EditOutcome(
                edit=edit,
                fate=EditFate.REFUSED,
                applied=kind_of(edit.what).applied(here, edit),
                reasons=refused[place],
            )

        became = tuple(outcome(place, edit) for place, edit in enumerate(edits))
        options = replace(found.options, edits=edits)
        return replace(found, options=options, edits=became)

    def _price(self, found: Scheduled) -> EditPrice:
        """What the only edit costs."""
        return price_of(found, self.ground)


def _with_reasons(found: Scheduled, asked: Sequence[Edit]) -> Schedule:
    """The schedule whose log tells what users have asked for from what was shown so."""
    names = Names.of(found.graph)
    own = asked_aspects(asked, names)

    def told(decision: Decision) -> Decision:
        match decision:
            case FormatChosen(reason=FormatReason.ASKED, fm=fm):
                is_own = (What.FORMAT, names.maps[fm]) in own
                return decision if is_own else replace(decision, reason=FormatReason.SHOWN)
            case WeightsBuffered(reason=WeightsReason.ASKED, op=op):
                is_own = (What.WEIGHTS, names.ops[op]) in own
                return decision if is_own else replace(decision, reason=WeightsReason.SHOWN)
            case MapPlaced(reason=Fate.ASKED, fms=fms):
                is_own = any((What.REGION, names.maps[fm]) in own for fm in fms)
                return decision if is_own else replace(decision, reason=Fate.SHOWN)
            case _:
                return decision

    decisions = tuple(told(each) for each in found.schedule.decisions)
    return replace(found.schedule, decisions=decisions)


def sum_of(scheduled: Scheduled) -> Sum:
    """What a schedule takes."""
    return Sum(
        cycles=scheduled.total.total_cycles,
        fast_bytes=scheduled.fast_bytes,
        evicted_bytes=scheduled.schedule.evicted_bytes,
        is_within_limits=scheduled.layout.is_within_limits,
    )


def price_of(found: Scheduled, without: Scheduled) -> EditPrice:
    """What one schedule takes, and another one."""
    return EditPrice(
        cycles=found.total.total_cycles,
        cycles_without=without.total.total_cycles,
        fast_bytes=found.fast_bytes,
        fast_bytes_without=without.fast_bytes,
        evicted_bytes=found.schedule.evicted_bytes,
        evicted_bytes_without=without.schedule.evicted_bytes,
    )


def _decided(scheduled: Scheduled) -> dict[Aspect, Decided]:
    has_two = scheduled.target.is_spilling
    return decided(scheduled.graph, scheduled.schedule, scheduled.layout, has_two=has_two)


def _better(one: tuple[EditReason, ...], other: tuple[EditReason, ...]) -> tuple[EditReason, ...]:
    """Of two reasons what tells more: how much room is missing, at least."""

    def rank(reasons: tuple[EditReason, ...]) -> tuple[bool, float]:
        rooms = [each for each in reasons if each.ground is Ground.NO_ROOM]
        return not rooms, min((each.tried_bytes or 0 for each in rooms), default=0)

    return min((reasons for reasons in (one, other) if reasons), key=rank, default=())


def _no_room(found: Scheduled) -> EditReason:
    return EditReason(
        ground=Ground.NO_ROOM,
        is_proved=False,
        tried_bytes=found.fast_bytes,
        available_bytes=found.target.fast_limit_bytes,
    )


def _against_ground(
    obstacles: Obstacles, asked: Sequence[Edit], kept: Sequence[Edit]
) -> tuple[EditReason, ...]:
    """Why edits cannot be beside what stays, told by whom that is about."""
    return tuple(dict.fromkeys(_reasons(obstacles, asked, kept)))


def _reasons(
    obstacles: Obstacles, asked: Sequence[Edit], kept: Sequence[Edit]
) -> Iterator[EditReason]:
    count = len(asked)
    for place, reasons in obstacles.items():
        for reason in reasons:
            if place < count and not any(other >= count for other in reason.edits):
                yield reason
                continue
            stays = [kept[at - count] for at in (place, *reason.edits) if at >= count]
            subjects = [each.subject for each in stays]
            yield EditReason(
                ground=Ground.HELD,
                is_proved=False,
                maps=tuple(each for each in subjects if isinstance(each, MapNamed)),
                ops=tuple(each for each in subjects if isinstance(each, OpNamed)),
            )
