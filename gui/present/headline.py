"""What is said first of what is shown: does it fit, how long does it take, what has changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.api.comparisons import Comparison
from core.api.schedules import cases_text, range_text, robust_text
from core.base.frozen import Frozen, NamedTuple
from core.base.rough import rough_text
from core.base.sentences import capitalised
from core.ir.together import SharedMemory
from gui.document.answer import Answer
from gui.document.display import Display
from gui.document.document import Document
from gui.document.history import History
from gui.document.kept import Kept
from gui.document.runs import Runs
from gui.present.company import fast_memory, fit_text, told_in_full
from gui.present.compiled import is_compiled
from gui.present.controls import NO_LIMIT, own_limit
from gui.present.edits.rows import State, edit_rows, tally_of
from gui.present.runs.best import front_answered, is_growing, search_details, search_text
from gui.present.units import counted, size

Forms = tuple[str, ...]
"""The same in more and in fewer words: the first that has room is taken."""
SUFFIX = ".tflite"
_SAME = 0.0005
"""A share that is no other one in the digits that are shown."""


_SHORTER = {"your edits": ("edits",)}


class Sense(NamedTuple):
    """Whether something is as it should be; None where it is neither good nor bad."""

    is_good: bool | None = None


NEITHER, GOOD, BAD = Sense(), Sense(is_good=True), Sense(is_good=False)


class Part(Frozen):
    """One figure with what is to be known of it: a large line, a small one, and a tip."""

    large: Forms = ("",)
    small: Forms = ("",)
    sense: Sense = NEITHER
    tip: str = ""
    share: float | None = None
    """Of a bar that is full at 1; what is beyond stands above the limit."""


NOTHING = Part()


class Headline(Frozen):
    """All of them."""

    model: Part = NOTHING
    fit: Part = NOTHING
    time: Part = NOTHING
    change: Part = NOTHING
    edits: Part = NOTHING
    search: Part = NOTHING


class Before(NamedTuple):
    """What the schedule is held against, where that is no A."""

    cycles: float
    label: str
    """What was done since."""


def headline_of(
    document: Document, answer: Answer | None, display: Display, change: Part, search: Part
) -> Headline:
    """What is said of an answer; of a document alone, what was asked."""
    if answer is None:
        return Headline(model=_asked(document), edits=_edits(document, None))
    return Headline(
        model=_model(answer),
        fit=_fit(answer, display),
        time=_time(answer),
        change=change,
        edits=_edits(document, answer),
        search=search,
    )


def _asked(document: Document) -> Part:
    name = "" if document.model is None else document.model.name
    short = name.removesuffix(SUFFIX)
    return Part(large=(name, short), small=(document.settings.accelerator,), tip=name)


def _model(answer: Answer) -> Part:
    target, model = answer.scheduled.target, answer.document.model
    name = "" if model is None else model.name
    board = (target.accelerator.name, target.system.name, target.mode.name)
    options = answer.scheduled.options.strategy.value
    return Part(
        large=(name, name.removesuffix(SUFFIX)),
        small=(", ".join((*board, options)), ", ".join(board), board[0]),
        tip=f"{name}\non {', '.join(board)}, for {options}\nA click leads to Controls",
    )


def _fit(answer: Answer, display: Display) -> Part:
    if (memory := fast_memory(answer)) is not None:
        return _fit_together(answer, memory, display)
    scheduled, unit = answer.scheduled, display.byte_unit
    need, limit = scheduled.fast_bytes, own_limit(scheduled.target)
    excess = sum(area.excess_bytes for area in scheduled.layout.areas)
    needed = size(need, unit)
    tip = f"{need:,} bytes of fast storage are needed"
    if is_compiled(answer):
        return Part(large=("compiled",), small=(f"{needed}, limit not told", needed), tip=tip)
    if limit is None:
        tip = f"{tip}; there is no limit but what can be addressed"
        forms = (f"{needed}, {NO_LIMIT}", needed)
        return Part(large=(NO_LIMIT if not excess else "too large",), small=forms, tip=tip)
    both = (f"{needed} of {size(limit, unit)}", needed)
    left = f"{limit - need:,} are free" if need <= limit else f"{need - limit:,} are too many"
    tip = f"{tip}, {limit:,} are allowed: {left}\nA click leads to the limit"
    if excess:
        over = size(excess, unit)
        return Part(large=(f"over by {over}",), small=both, sense=BAD, tip=tip, share=need / limit)
    return Part(large=("fits",), small=both, sense=GOOD, tip=tip, share=need / limit)


def _fit_together(answer: Answer, memory: SharedMemory, display: Display) -> Part:
    """The same of all models in the device."""
    unit, limit = display.byte_unit, memory.limit_bytes
    told, count = fit_text(memory, unit), counted(len(memory.arenas), "model")
    forms = (f"{told}, {count}", told)
    tip = told_in_full(answer, memory, unit)
    if limit is None:
        return Part(large=(NO_LIMIT,), small=forms, tip=tip)
    share = memory.peak_bytes / limit
    if memory.excess_bytes:
        over = size(memory.excess_bytes, unit)
        return Part(large=(f"over by {over}",), small=forms, sense=BAD, tip=tip, share=share)
    return Part(large=("fit together",), small=forms, sense=GOOD, tip=tip, share=share)


def _time(answer: Answer) -> Part:
    total, spread = answer.scheduled.total, answer.spread
    cycles = rough_text(total.total_cycles)
    between = "" if spread is None else range_text(spread)
    told = [f"{cycles} cycles, {between}", f"{cycles}, {between}"] if between else []
    cases = "" if spread is None else f"Cycles with other memories: {cases_text(spread)}"
    lines = (
        f"{round(total.total_cycles):,} cycles, an estimate",
        cases,
        capitalised(robust_text(answer.scheduled)),
    )
    return Part(
        large=(milliseconds(total.seconds),),
        small=(*told, f"{cycles} cycles", cycles),
        tip="\n".join(filter(None, lines)),
    )


def milliseconds(seconds: float) -> str:
    """A time with three digits; the summary has it to the cycle."""
    # What is rounded up to a thousand is one of the next unit.
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= 0.9995 * scale:
            return f"{_three_digits(seconds / scale)} {unit}"
    return f"{_three_digits(seconds * 1e6)} µs"


def _three_digits(figure: float) -> str:
    """Also where the last are noughts: 3.30 is no rougher than 3.31."""
    if not figure:
        return "0"
    digits = next((places for places, most in ((2, 9.995), (1, 99.95)) if figure < most), 0)
    return f"{figure:,.{digits}f}"


def _edits(document: Document, answer: Answer | None) -> Part:
    rows = edit_rows(document, answer)
    tally = tally_of(rows, is_ignoring=document.ignores_edits)
    if tally.worst is None:
        ground = "all is searched" if document.ground is None else "all as it was shown"
        if is_compiled(answer):
            ground = "all as compiled"
        return Part(large=("no edits",), small=(ground,), tip="What you decide is counted here")
    counts = tally.counts
    kept = sum(counts[state] for state in (State.HONOURED, State.HELD))
    rest = [f"{counts[state]} {state.value}" for state in State if _matters(state, counts)]
    total = sum(counts.values())
    large: Forms = (f"{kept} of {counted(total, 'edit')}", f"{kept} of {total}")
    if document.ignores_edits:
        large = (counted(total, "edit"),)
    small = ("ignored for now",) if document.ignores_edits else (", ".join(rest) or "honoured",)
    is_bad = tally.worst in (State.REFUSED, State.ORPHAN)
    sense = BAD if is_bad else GOOD if kept == total else NEITHER
    return Part(large=large, small=(*small, *rest[:1]), sense=sense, tip=_clickable(tally.text))


def _matters(state: State, counts: Mapping[State, int]) -> bool:
    return state not in (State.HONOURED, State.HELD) and bool(counts[state])


def _clickable(text: str) -> str:
    return f"{text}\nA click leads to each of them"


def change_part(
    answer: Answer | None, kept: Kept | None, found: Comparison | None, before: Before | None
) -> Part:
    """How much faster or slower it is than A, or else than what was shown before."""
    if answer is None:
        return NOTHING
    cycles = answer.scheduled.total.total_cycles
    if kept is not None:
        return _against_a(kept, found)
    if before is None:
        tip = "What a change brings is told here, against what was there before"
        return Part(large=("-",), small=("nothing to compare", "no A"), tip=tip)
    change = cycles - before.cycles
    after = (f"after {before.label}",) if before.label else ()
    return _change(change, before.cycles, after, "before", "Against what was shown before")


def _against_a(kept: Kept, found: Comparison | None) -> Part:
    tip = f"A is {kept.title}\nA click leads to Compare"
    if found is None:
        return Part(large=("...",), small=("against A",), tip=tip)
    figure = found.figure("total_cycles")
    if figure.before is None or figure.after is None:
        return Part(large=("-",), small=("against A",), tip=tip)
    return _change(figure.after - figure.before, figure.before, (), "A", tip)


def _change(change: float, before: float, after: Forms, other: str, tip: str) -> Part:
    """A difference to another one in per cent, to the cycle in the tip."""
    told = f"{abs(round(change)):,} cycles {'more' if change > 0 else 'fewer'}"
    about = (*after, f"than {other}")
    if not round(change):
        told, about = "as many cycles", (*after, f"as {other}")
    share = change / before if before else 0.0
    # A share that rounds to nothing would read as no change.
    differs = f"{share:+.1%}" if abs(share) >= _SAME else f"{change:+,.0f}"
    large = differs if round(change) else "="
    sense = NEITHER if not round(change) else BAD if change > 0 else GOOD
    small = (*(f"{told} {each}" for each in about), told)
    return Part(large=(large,), small=small, sense=sense, tip=f"{told} {about[0]}\n{tip}")


def before_of(history: History, runs: Runs) -> Before | None:
    """The run of the document that the present one was made of, where the user has seen it."""
    present = history.present
    known = {run.document: run for run in runs.of_model(present.document)}
    for entry in reversed(history.past):
        if entry.document == present.document:
            continue
        run = known.get(entry.document)
        return None if run is None else Before(run.cycles, present.label)
    return None


def search_part(
    answer: Answer | None, better: Answer | None = None, *, is_stopped: bool, is_live: bool
) -> Part:
    """Who searched, and whether it goes on, also where what it has found is not shown yet."""
    if answer is None or answer.scheduled.compiled_by is not None:
        return NOTHING
    newest = better or answer
    found = front_answered(newest)
    tip = "\n".join(filter(None, (search_text(answer), search_details(answer))))
    if found is None:
        large, _, rest = search_text(answer).partition("; ")
        small = (rest, "else as shown", "as shown") if rest else ("one search",)
        return Part(large=(large, *_SHORTER.get(large, ())), small=small, tip=tip)
    state = "all was tried" if found.is_done else "as effort allows"
    if is_growing(newest):
        step = f"step {found.searches + 1:,} of {answer.scheduled.options.effort:,}"
        state = "stopped" if is_stopped else step if is_live else "waiting"
    return Part(large=("best",), small=tuple(_states(answer, state)), tip=tip)


def _states(answer: Answer, state: str) -> Iterator[str]:
    found = front_answered(answer)
    if found is not None:
        yield f"{state}, {found.times_least:.2f} of the least"
    yield state
