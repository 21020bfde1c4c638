"""All decisions about what is selected, in one form: what is so, who decided it, what else can be.

A row is about all that is selected; where they differ, its value is those that are most common.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from core.api import edits as core_edits
from core.base.errors import InputError
from core.base.frozen import Frozen, NamedTuple
from core.base.geometry import Block
from core.base.ids import NpuOpId
from core.ir.edits import (
    Edit,
    Grouping,
    Living,
    MapNamed,
    OpNamed,
    Rule,
    Traversal,
    WeightsAsked,
    What,
)
from core.ir.npugraph import OpKind
from gui.document.answer import Answer
from gui.document.decisions import FROM_FRONT, FROZEN, Deed, ops_named
from gui.document.selection import NOTHING_SELECTED, Selection
from gui.document.trial import Trial
from gui.present.edits import deeds, offers
from gui.present.edits.deeds import Asked, Obstacle
from gui.present.edits.offers import Offer
from gui.present.edits.rows import State, edit_rows
from gui.present.edits.subjects import address_of, maps_of, names_of, ops_of, plan_of, run_order
from gui.present.edits.text import value_text
from gui.present.units import address, counted, size

APART = "; "
"""Between values of several operators."""
_MOST_VALUES = 4
_NOTHING = "-"
_NONE = "none"
_SEARCH = "search"
_ORIGINS = {FROZEN: "frozen", FROM_FRONT: "adopted from the front"}


class Kind(NamedTuple):
    """A row of the form."""

    id: str
    title: str
    whats: tuple[What, ...]
    """Decisions that it is about; what is typed is a value of the first."""
    now: Callable[[Answer, int], str]
    """What the schedule has, of an operator or a map by its number."""
    offers: Callable[[Asked], tuple[Offer, ...] | Obstacle]
    obstacle: Callable[[Asked], Obstacle]
    """Why nothing can be chosen, without working out what could be."""

    @property
    def is_of_maps(self) -> bool:
        """Whether it is about maps, or what operators make."""
        return self.whats[0].is_of_maps


class Field(NamedTuple):
    """What a row says of what is selected."""

    kind: Kind
    value: str
    who: str
    """Who has decided it."""
    obstacle: Obstacle
    """Why nothing else can be had; empty where something can."""
    free: Deed | None
    """Has the search decide it again."""


class Form(Frozen):
    """All rows, and what they are about."""

    title: str
    fields: tuple[Field, ...]


def form_of(asked: Asked) -> Form:
    """The form about what is selected; without rows where nothing is that could be decided."""
    answer, selection = asked.answer, asked.selection
    ops, maps = ops_of(answer, selection), maps_of(answer, selection)
    fields = []
    for kind in KINDS:
        numbers = maps if kind.is_of_maps else ops
        told = [kind.now(answer, number) for number in numbers]
        if any(value != _NOTHING for value in told):
            free = deeds.let_decide(asked, *kind.whats)
            fields.append(
                Field(
                    kind=kind,
                    value=_together(_NONE if value == _NOTHING else value for value in told),
                    who=_who(asked, kind, numbers),
                    obstacle=kind.obstacle(asked),
                    free=free if isinstance(free, Deed) else None,
                )
            )
    return Form(title=title_of(answer, selection), fields=tuple(fields))


def _together(values: Iterable[str]) -> str:
    """One value that all have, or how many have which, the most common first."""
    common = Counter(values).most_common()
    if len(common) == 1:
        return common[0][0]
    told = [f"{value} ({times})" for value, times in common[:_MOST_VALUES]]
    more = len(common) - _MOST_VALUES
    return APART.join(told if more <= 0 else [*told, f"{counted(more, 'other value')}"])


def title_of(answer: Answer, selection: Selection) -> str:
    """What decisions are about; empty where that is nothing."""
    titles = answer.scheduled.graph.titles
    ops = ops_of(answer, selection)
    names = [titles.op(op) for op in ops] or [titles.map(fm) for fm in maps_of(answer, selection)]
    if len(names) <= 1:
        return "".join(names)
    return counted(len(names), "operator")


# Who has decided.


def _who(asked: Asked, kind: Kind, numbers: Sequence[int]) -> str:
    names = names_of(asked.answer)
    subjects = [(names.maps if kind.is_of_maps else names.ops)[number] for number in numbers]
    rows = edit_rows(asked.document, asked.answer)
    told = {}
    for row in rows:
        if row.edit.what in kind.whats and row.state is not State.OFF:
            about = {row.edit.subject, *ops_named(row.edit.subject)}
            told.update(dict.fromkeys(about, _origin(row.edit, row.state)))
    return _together(told.get(subject, _SEARCH) for subject in subjects)


def _origin(edit: Edit, state: State) -> str:
    """Who has made an edit, and what became of it where that has to be said."""
    rule = f"rule {edit.rule}" if edit.rule else ""
    who = rule or _ORIGINS.get(edit.note) or "you"
    is_plain = state in (State.HONOURED, State.HELD, State.UNCHECKED)
    return who if is_plain else f"{who}: {state.value}"


# What the schedule has.


def _place(answer: Answer, fm: int) -> str:
    scheduled = answer.scheduled
    plan = scheduled.schedule.maps[fm]
    if scheduled.graph.feature_maps[fm].data is not None:
        return _NOTHING
    if plan.rolling is not None:
        return f"rolling buffer of {counted(plan.rolling.h, 'row')}"
    if not scheduled.target.is_spilling:
        return "in the one memory for maps"
    return value_text(What.REGION, Living.of(plan.region))


def _format(answer: Answer, fm: int) -> str:
    return value_text(What.FORMAT, answer.scheduled.schedule.maps[fm].format)


def _address(answer: Answer, fm: int) -> str:
    found = address_of(answer, fm)
    return _NOTHING if found is None else address(found)


def _cascade(answer: Answer, op: int) -> str:
    scheduled = answer.scheduled
    for island in scheduled.schedule.islands:
        for at, cascade in enumerate(island.cascades):
            if op in cascade.ops:
                number = scheduled.cascade_numbers()[island.island, at]
                return f"{number}, of {counted(len(cascade.ops), 'operator')}"
    return "in none"


def _stripe(answer: Answer, op: int) -> str:
    rows, whole = plan_of(answer, NpuOpId(op)).stripe.ofm.h, answer.scheduled.graph.ops[op].made.h
    return f"{value_text(What.STRIPE, rows)}{' (whole)' if rows >= whole else ''}"


def _block(answer: Answer, op: int) -> str:
    if answer.scheduled.graph.ops[op].kind is OpKind.COPY:
        return _NOTHING
    return value_text(What.BLOCK, plan_of(answer, NpuOpId(op)).block.ofm_block)


def _buffers(answer: Answer, op: int) -> str:
    plan = plan_of(answer, NpuOpId(op)).weights
    if plan is None:
        return _NOTHING
    return value_text(What.WEIGHTS, WeightsAsked(buffers=len(plan.buffer_bytes)))


def _slices(answer: Answer, op: int) -> str:
    plan = plan_of(answer, NpuOpId(op)).weights
    if plan is None:
        return _NOTHING
    return value_text(What.WEIGHTS, WeightsAsked(depths=plan.depth_slices))


def _fetching(answer: Answer, op: int) -> str:
    plan = plan_of(answer, NpuOpId(op)).weights
    if plan is None:
        return _NOTHING
    is_early, lead_steps = plan.is_prefetched, plan.lead_steps or None
    return value_text(What.WEIGHTS, WeightsAsked(prefetch=is_early, lead_steps=lead_steps))


def _traversal(answer: Answer, op: int) -> str:
    if answer.scheduled.graph.ops[op].kind is not OpKind.CONV_2D:
        return _NOTHING
    return Traversal.of(plan_of(answer, NpuOpId(op)).block.is_part_kernel).value


def _order(answer: Answer, op: int) -> str:
    order = run_order(answer)
    return f"{order.index(NpuOpId(op)) + 1} of {len(order)}"


def _first_obstacle(
    find: Callable[[Asked], tuple[Offer, ...] | Obstacle],
) -> Callable[[Asked], Obstacle]:
    """Of what is found at once."""

    def obstacle(asked: Asked) -> Obstacle:
        found = find(asked)
        return found if isinstance(found, str) else ""

    return obstacle


def _cannot_place(asked: Asked) -> Obstacle:
    found = deeds.placed(asked, 0)
    return found if isinstance(found, str) else ""


def _nowhere_else(asked: Asked) -> tuple[Offer, ...] | Obstacle:
    """Addresses are typed, or dragged in the memory map."""
    return _cannot_place(asked) or "type an address, such as 0x100 or 4K"


def _listed(
    kind_id: str,
    title: str,
    whats: tuple[What, ...],
    now: Callable[[Answer, int], str],
    find: Callable[[Asked], tuple[Offer, ...] | Obstacle],
) -> Kind:
    return Kind(kind_id, title, whats, now, find, _first_obstacle(find))


_WEIGHTS = (What.WEIGHTS,)
KINDS = (
    _listed("place", "Place", (What.REGION,), _place, offers.memories),
    _listed("format", "Format", (What.FORMAT,), _format, offers.formats),
    Kind("address", "Address", (What.ADDRESS,), _address, _nowhere_else, _cannot_place),
    _listed("cascade", "Cascade", (What.CASCADE,), _cascade, offers.groupings),
    Kind("stripe", "Stripe", (What.STRIPE,), _stripe, offers.heights, offers.can_choose_height),
    Kind("block", "Block", (What.BLOCK,), _block, offers.blocks, offers.can_choose_block),
    _listed("buffers", "Weights", _WEIGHTS, _buffers, offers.buffers),
    Kind("slices", "Slices", _WEIGHTS, _slices, offers.slices, offers.can_choose_slices),
    _listed("fetching", "Fetching", _WEIGHTS, _fetching, offers.fetchings),
    _listed("traversal", "Weight order", (What.TRAVERSAL,), _traversal, offers.traversals),
    _listed("processor", "Processor", (What.PROCESSOR,), lambda *_: "NPU", offers.processors),
    _listed("order", "Order", (What.BEFORE, What.AFTER), _order, offers.orders),
)
"""The rows, in their order."""


# What is typed.


def typed(asked: Asked, kind: Kind, text: str) -> Deed | Obstacle:
    """What a text asks for in a row: one of its values as it is listed, or another."""
    word = text.strip().casefold()
    listed = kind.offers(asked)
    if not isinstance(listed, str):
        for offer in listed:
            if offer.text.casefold() == word or offer.text.casefold().split(",")[0] == word:
                return offer.deed
    if kind.id == "fetching":
        return _fetched(asked, word)
    take = _TYPED.get(kind.id)
    if take is None:
        return f"'{text}' is none of what can be chosen"
    words = text.replace(",", "").removesuffix("rows").removesuffix("row").removesuffix("(whole)")
    try:
        value = core_edits.typed_value(kind.whats[0], words)
    except InputError as error:
        return f"'{text}' {error}"
    return take(asked, value)


def _striped(asked: Asked, value: object) -> Deed | Obstacle:
    return deeds.striped(asked, value) if isinstance(value, int) else "is no number of rows"


def _blocked(asked: Asked, value: object) -> Deed | Obstacle:
    return deeds.blocked(asked, value) if isinstance(value, Block) else "is no block"


def _placed(asked: Asked, value: object) -> Deed | Obstacle:
    return deeds.placed(asked, value) if isinstance(value, int) else "is no address"


def _fetched(asked: Asked, text: str) -> Deed | Obstacle:
    """How many operators ahead: a number, or with the words that the list has around it."""
    number = text.removeprefix("fetched early").strip(" ,").split(" ")[0]
    if not (number.isascii() and number.isdigit()):
        return f"'{text}' is no number of operators ahead"
    steps = int(number)
    return deeds.fetched(asked, WeightsAsked(prefetch=steps > 0, lead_steps=steps or None))


_TYPED = {"stripe": _striped, "block": _blocked, "address": _placed}
"""Rows that take other values than those that are listed."""


# Rules.


def matches(answer: Answer, query: str) -> Selection:
    """All operators that a rule finds, selected; an OptionError says what is wrong with it."""
    probe = Rule(query=query, what=What.CASCADE, value=Grouping.NEVER)
    ids = names_of(answer).op_ids
    edits = core_edits.spelled([probe], answer.scheduled.graph)
    ops = [ids[edit.subject] for edit in edits if isinstance(edit.subject, OpNamed)]
    return Selection(op=ops[0], more_ops=tuple(ops[1:])) if ops else NOTHING_SELECTED


def as_rule(answer: Answer, deed: Deed, query: str) -> Deed:
    """A deed about all that a rule finds, as edits of that rule; cascades of several and the order
    are of these very operators, and stay as they are."""
    asked = dict.fromkeys((edit.what, edit.value) for edit in deed.new)
    if len(asked) != 1:
        return deed
    ((what, value),) = asked
    if not isinstance(deed.new[0].subject, OpNamed | MapNamed) and value is not Grouping.NEVER:
        return deed
    rule = Rule(query=query, what=what, value=value)
    new = core_edits.spelled([rule], answer.scheduled.graph)
    return deed._replace(new=new, label=f"{query}: {value_text(what, value)}")


# What choices cost.


def price_text(trial: Trial | None, now: Answer) -> str:
    """What a choice would come to beside what is shown; empty as long as nobody knows."""
    if trial is None:
        return ""
    lost, count = trial.refused(now.document.edits)
    if lost and lost == count:
        return "cannot be had"
    before = now.scheduled.total.total_cycles
    change, room = round(trial.cycles - before), trial.fast_bytes - now.scheduled.fast_bytes
    parts = [f"{change:+,} cycles" if change else "free"]
    if before and abs(change) >= before / 1000:
        parts[0] += f" ({change / before:+.1%})"
    if room:
        parts.append(f"{'+' if room > 0 else '-'}{size(abs(room))}")
    if not trial.is_within_limits:
        parts.append("over the limit")
    if lost:
        parts.append(f"{lost} of {count} cannot be had")
    return ", ".join(parts)
