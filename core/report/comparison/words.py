"""A comparison in words: what is whose, how much, and what it comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from core.base.geometry import Block
from core.base.rough import rough_text
from core.base.sentences import capitalised
from core.compare.account import Account
from core.compare.cause import told_causes
from core.compare.comparison import Aspect, Cause, Comparison, Difference, Fate, OpPair, Value
from core.ir.titles import telling
from core.report.ecosystem_names import AREA_TITLES
from core.report.words import counted, kib_text, shape_text
from core.target.format import Format
from core.target.registry import ACCELERATORS
from core.target.target import Area

_MEMORIES = {area.value: title for area, title in AREA_TITLES.items()}
_FORMATS = {Format.LINEAR.value: "rows", Format.BRICKS.value: "bricks"}
_BUFFERS = {
    "0": "read where they are stored",
    "1": "through one buffer",
    "2": "through two buffers",
}
_FATES = {
    Fate.NEW: "new",
    Fate.GONE: "gone",
    Fate.EVICTED: "evicted",
    Fate.RETURNED: "returned",
    Fate.GROWN: "grown",
    Fate.SHRUNK: "shrunk",
    Fate.MOVED: "moved",
}


def headline(comparison: Comparison) -> str:
    """How much faster and smaller B is, in one line."""
    if comparison.is_equal:
        return "Both are the same"
    parts = [
        text
        for text in (
            cycles_text(comparison),
            _changed(comparison, fast_figure(comparison), "bytes of fast storage"),
            _changed(comparison, "evicted_bytes", "bytes evicted"),
        )
        if text
    ]
    return ", ".join(parts) or "As many cycles and bytes, by other decisions"


def cycles_text(comparison: Comparison) -> str:
    """How many cycles B takes more, as far as the estimate can tell; empty where they are equal."""
    found = comparison.figure("total_cycles")
    if not found.change:
        return ""
    if not comparison.tells_cycles_apart:
        return NO_DIFFERENCE
    sign = "+" if found.change > 0 else ""
    share = f" ({found.change / found.before:+.1%})" if found.before else ""
    return f"{sign}{rough_text(found.change)} cycles{share}"


NO_DIFFERENCE = "no difference in cycles that the estimate can tell"


def fast_figure(comparison: Comparison) -> str:
    """The figure of the memory that limits: fast storage, or SRAM where that is not told."""
    known = comparison.figure("fast_storage_bytes")
    return "sram_bytes" if known.change is None else known.name


def _changed(comparison: Comparison, name: str, unit: str) -> str:
    found = comparison.figure(name)
    if not found.change:
        return ""
    share = f" ({found.change / found.before:+.1%})" if found.before else ""
    return f"{round(found.change):+,} {unit}{share}"


def side_text(account: Account) -> str:
    """What is compared: its title, and what it was scheduled for."""
    told = (
        _limit_text(account, kib_text) if name == _LIMIT else value
        for name, value in account.target
    )
    return ", ".join((account.title, *told))


def _limit_text(account: Account, size_text: Callable[[int], str]) -> str:
    """A limit as a size; what is as high as addresses reach is none."""
    target = dict(account.target)
    value, known = target[_LIMIT], ACCELERATORS.get(target.get("accelerator_config", ""))
    if not value.isdigit():
        return value
    is_none = known is not None and int(value) >= known.max_address
    return _NO_LIMIT if is_none else size_text(int(value))


def _bytes_text(size_bytes: int) -> str:
    return f"{size_bytes:,} bytes"


def cause_text(comparison: Comparison) -> str:
    """What most of the difference comes from, by aspect; nothing where nothing differs."""
    causes = told_causes(comparison.causes)
    if not causes:
        return ""
    whats = [_what(comparison, each) for each in causes]
    first = causes[0]
    if first.share is None or not first.cycles:
        told = (
            f"{what} ({_signed(each)} cycles)" if each.cycles else what
            for each, what in zip(causes, whats, strict=True)
        )
        return capitalised("; ".join(told))
    shares = [each.share or 0.0 for each in causes]
    rest = sum(each.cycles for each in comparison.causes[len(causes) :])
    if sum(shares) <= 1:
        told = (
            f"{share:.0%} ({_signed(each)}) is {what}"
            for share, each, what in zip(shares, causes, whats, strict=True)
        )
        return f"Of the cycles that differ {'; '.join(told)}"
    told = (f"{_signed(each)} cycles are {what}" for each, what in zip(causes, whats, strict=True))
    return f"{'; '.join(told)}; all others together are {round(rest):+,}"


def _signed(cause: Cause) -> str:
    return f"{round(cause.cycles):+,}"


def _what(comparison: Comparison, cause: Cause) -> str:
    """What a cause is: how many operators it is about, and what is decided there."""
    pairs = [comparison.operators[at] for at in cause.pairs]
    if cause.difference is None:
        return f"the effect of other differences on {_subject(comparison, pairs)}"
    decided = (
        "no partner on the other side"
        if cause.difference.aspect is Aspect.PRESENCE
        else difference_text(cause.difference, comparison)
    )
    if len({each.differences[0] for each in pairs}) == 1:
        return f"{_subject(comparison, pairs)}: {decided}"
    title = _TITLES[cause.difference.aspect]
    most = max(pairs, key=lambda each: abs(each.cycles))
    lead = f"most of it operator {number_of(most)} ({comparison.parts[most.name]})"
    return f"{title} of {_subject(comparison, pairs)}, {lead}: {decided}"


def _subject(comparison: Comparison, pairs: Sequence[OpPair]) -> str:
    """Which operators a cause is about."""
    if len(pairs) == 1:
        return f"operator {number_of(pairs[0])} ({comparison.parts[pairs[0].name]})"
    return f"{counted(len(pairs), 'operator')}, {number_of(pairs[0])} to {number_of(pairs[-1])}"


_TITLES = {
    Aspect.PRESENCE: "the making",
    Aspect.MEMORY: "the memory of maps",
    Aspect.CASCADE: "cascades",
    Aspect.FORMAT: "formats of maps",
    Aspect.STRIPE: "stripes",
    Aspect.BLOCK: "blocks",
    Aspect.TRAVERSAL: "the traversal of weights",
    Aspect.SLICES: "weight slices",
    Aspect.BUFFERS: "weight buffers",
    Aspect.PREFETCH: "weights that are early or late",
    Aspect.ORDER: "the order",
}
"""What is decided, where it is about several operators."""


def number_of(pair: OpPair) -> int:
    """The number of an operator, as B has it, or else A."""
    op = pair.b or pair.a
    assert op is not None
    return op.numbers[0]


def difference_text(difference: Difference, comparison: Comparison | None = None) -> str:
    """What is decided otherwise: B's decision instead of A's."""
    aspect = difference.aspect
    if aspect is Aspect.PRESENCE:
        return f"in {'A' if difference.after is None else 'B'} alone"
    after = value_text(aspect, difference.after, comparison)
    before = value_text(aspect, difference.before, comparison)
    about = (
        f"map {_map_name(difference.about, comparison)} in "
        if aspect is Aspect.MEMORY
        else _ABOUT.get(aspect, "")
    )
    return f"{about}{after} instead of {before}"


def _map_name(name: str, comparison: Comparison | None) -> str:
    """What tells most of a map's name."""
    known = {} if comparison is None else comparison.parts
    return known.get(name) or telling([name])[0]


def value_text(aspect: Aspect, value: Value, comparison: Comparison | None = None) -> str:
    """What was decided."""
    if value is None:
        return _NONE.get(aspect, "none")
    if aspect is Aspect.CASCADE and isinstance(value, tuple):
        return _operators(value, comparison)
    told = _VALUES.get(aspect)
    return told(value) if told else str(value)


def _slices(value: Value) -> str:
    assert isinstance(value, tuple)
    if len(value) <= _FEW:
        return "slices at " + ", ".join(map(str, value))
    return counted(len(value), "slice")


_FEW = 6
_LIMIT = "arena_cache_size"
_NO_LIMIT = "no limit"
_ABOUT = {
    Aspect.BLOCK: "block ",
    Aspect.TRAVERSAL: "weights ",
    Aspect.BUFFERS: "weights ",
    Aspect.PREFETCH: "weights ",
    Aspect.ORDER: "runs as number ",
}
_NONE = {Aspect.STRIPE: "the whole map", Aspect.CASCADE: "no cascade"}
_VALUES: Mapping[Aspect, Callable[[Value], str]] = {
    Aspect.MEMORY: lambda value: memory_title(str(value)),
    Aspect.FORMAT: lambda value: _FORMATS.get(str(value), str(value)),
    Aspect.STRIPE: lambda value: f"stripes of {value} rows",
    Aspect.BLOCK: lambda value: shape_text(value) if isinstance(value, Block) else str(value),
    Aspect.TRAVERSAL: lambda value: "by kernel" if value else "by depth",
    Aspect.SLICES: _slices,
    Aspect.BUFFERS: lambda value: _BUFFERS.get(str(value), str(value)),
    Aspect.PREFETCH: lambda value: "fetched early" if value else "fetched when needed",
}


def _operators(pairs: tuple[int, ...], comparison: Comparison | None) -> str:
    if comparison is None:
        return f"a cascade of {counted(len(pairs), 'operator')}"
    first, last = (number_of(comparison.operators[at]) for at in (pairs[0], pairs[-1]))
    return f"a cascade of {first} to {last}"


def fate_text(fate: Fate) -> str:
    """What became of a range of bytes."""
    return _FATES.get(fate, fate.value)


def who_is_right(comparison: Comparison) -> Iterator[str]:
    """Which side computes what the model does, and whose fault it is where one does not."""
    for proof in comparison.proofs:
        match proof.holds:
            case True:
                yield f"{proof.side} computes what {proof.model} does: {proof.told[0]}."
            case False:
                yield f"{proof.side} does not compute what {proof.model} does: {proof.told[0]}."
            case None:
                yield f"{proof.side} was not executed: {proof.told[0]}."
    held = {proof.holds: proof.side for proof in comparison.proofs}
    if held.keys() == {True, False}:
        yield f"{held[True]} is right: what they differ in is a fault of {held[False]}'s file."


def caveats(comparison: Comparison) -> Iterator[str]:
    """What is to be known of the figures."""
    yield from who_is_right(comparison)
    if comparison.operators and not comparison.has_whole_cycles:
        yield (
            "One side does not tell what its operators wait for: their cycles are those of the"
            " accelerator alone, on both sides."
        )
    a, b = dict(comparison.a.target), dict(comparison.b.target)
    for name in dict.fromkeys((*a, *b)):
        if name in a and name in b and a[name] != b[name]:
            told = (
                _limit_text(account, _bytes_text) if name == _LIMIT else dict(account.target)[name]
                for account in (comparison.b, comparison.a)
            )
            text = " instead of ".join(dict.fromkeys(told))
            if text != _NO_LIMIT:
                yield f"{name.replace('_', ' ')}: {text}"
    if comparison.is_totals_alone:
        yield "One side tells totals alone."
        return
    lonely = [sum(pair.b is None for pair in comparison.operators)]
    lonely.append(sum(pair.a is None for pair in comparison.operators))
    for count, name, other in zip(lonely, "AB", "BA", strict=True):
        if count:
            has = "has" if count == 1 else "have"
            yield f"{counted(count, 'operator')} of {name} {has} no partner in {other}."


def memory_title(name: str) -> str:
    """A memory as reports call it."""
    return _MEMORIES.get(name, name)


MEMORY_FIGURES = {f"{area.name.lower()}_bytes": AREA_TITLES[area] for area in Area}
"""The figures of what each memory holds, with its name."""
