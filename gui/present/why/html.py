"""An explanation as rich text, with selections as the addresses of its links."""

from __future__ import annotations

from collections.abc import Collection
from itertools import groupby

from core.base.harmless import xml_text
from core.base.ids import FmId, IslandId, NpuOpId
from gui.document.selection import NOTHING_SELECTED, BufferRef, CascadeRef, Selection
from gui.present.why.edits import Do, Fold, TakeWay
from gui.present.why.subject import Link, Target
from gui.present.why.text import MOST_LINKS, Explanation, Line, Phrase, Stress, Topic
from gui.theme.tones import Theme

_OPEN, _CLOSED = "\N{BLACK DOWN-POINTING SMALL TRIANGLE}", "\N{BLACK RIGHT-POINTING SMALL TRIANGLE}"


def link_text(target: Target) -> str:
    """What a link leads to, as its address."""
    if isinstance(target, Do):
        return f"do:{target.command}"
    if isinstance(target, TakeWay):
        return f"way:{target.place}:{target.way}"
    if isinstance(target, Fold):
        return f"fold:{target.name}"
    for field, value in zip(target._fields, target, strict=True):
        if value not in (None, ()):
            numbers = value if isinstance(value, tuple) else (value,)
            return ":".join((field, *map(str, numbers)))
    return "nothing"


def target_of(address: str) -> Target:
    """What the address of a link leads to."""
    kind, _, rest = address.partition(":")
    if kind == "do":
        return Do(rest)
    if kind == "fold":
        return Fold(rest)
    if kind == "way":
        place, way = rest.split(":")
        return TakeWay(int(place), int(way))
    return selection_of(address)


def selection_of(address: str) -> Selection:
    """What the address of a link selects."""
    kind, *texts = address.split(":")
    numbers = [int(text) for text in texts]
    match kind:
        case "op":
            return Selection(op=NpuOpId(numbers[0]))
        case "fm":
            return Selection(fm=FmId(numbers[0]))
        case "cascade":
            return Selection(cascade=CascadeRef(IslandId(numbers[0]), numbers[1]))
        case "buffer":
            return Selection(buffer=BufferRef(NpuOpId(numbers[0]), numbers[1]))
        case "cpu_op":
            return Selection(cpu_op=numbers[0])
        case _:
            return NOTHING_SELECTED


def to_html(told: Explanation, theme: Theme, opened: Collection[str] = ()) -> str:
    """A title, what is said first, and reasons; links and all else are folded, but for what is
    opened."""
    title = _paragraph(f"<big><b>{xml_text(told.title)}</b></big>", "0px 0px 4px 0px")
    headline = _paragraph(f"<b>{_line(told.headline, theme)}</b>", "0px 0px 4px 0px")
    reasons = (
        _paragraph(f"{place}. {_line(line, theme)}", "0px 0px 4px 10px")
        for place, line in enumerate(told.reasons, 1)
    )
    own = (_topic(topic, theme) for topic in told.own)
    groups = groupby(told.related, key=lambda link: link.group)
    related = (_related(group, list(links), theme, opened) for group, links in groups)
    topics = (_folded(topic, theme, opened) for topic in told.topics)
    parts = (title, headline, *reasons, *own, *related, *topics)
    return f'<div style="color:{theme.text}">{"".join(parts)}</div>'


def _line(line: Line, theme: Theme) -> str:
    return "".join(_piece(piece, theme) for piece in line)


def _related(group: str, links: list[Link], theme: Theme, opened: Collection[str]) -> str:
    """Links of a group; of many there is their number, with the list behind it."""
    anchors = [
        _piece(Phrase(link.text, Stress.LINK, link.target, link.tip), theme) for link in links
    ]
    if len(links) <= MOST_LINKS:
        told = f"{_coloured(group, theme.faint_text)} " + " \u00b7 ".join(anchors)
        return _paragraph(told, "0px 0px 1px 0px")
    head = _paragraph(_fold(group, f"{group}: {len(links)}", theme, opened), "0px 0px 1px 0px")
    rows = (_paragraph(anchor, "0px 0px 1px 10px") for anchor in anchors)
    return head + ("".join(rows) if group in opened else "")


def _topic(topic: Topic, theme: Theme) -> str:
    title = _coloured(f"<b>{xml_text(topic.title)}</b>", theme.faint_text)
    return _paragraph(title, "8px 0px 2px 0px") + _sentences(topic, theme)


def _folded(topic: Topic, theme: Theme, opened: Collection[str]) -> str:
    """A topic as a line that opens it."""
    told = f"{topic.title} ({len(topic.sentences)})"
    head = _paragraph(_fold(topic.title, told, theme, opened), "4px 0px 2px 0px")
    return head + (_sentences(topic, theme) if topic.title in opened else "")


def _sentences(topic: Topic, theme: Theme) -> str:
    lines = (_line(line, theme) for line in topic.sentences)
    return "".join(_paragraph(line, "0px 0px 4px 10px") for line in lines)


def _fold(name: str, text: str, theme: Theme, opened: Collection[str]) -> str:
    mark = _OPEN if name in opened else _CLOSED
    return _piece(Phrase(f"{mark} {text}", Stress.LINK, Fold(name)), theme)


def _paragraph(inner: str, margin: str) -> str:
    top, right, bottom, left = margin.split()
    return (
        f'<p style="margin-top:{top};margin-right:{right};margin-bottom:{bottom};'
        f'margin-left:{left}">{inner}</p>'
    )


def _piece(piece: Phrase, theme: Theme) -> str:
    text = xml_text(piece.text)
    if piece.stress is Stress.LINK and piece.target is not None:
        # The whole name is shown when the pointer rests on it.
        tip = f' title="{xml_text(piece.tip)}"' if piece.tip else ""
        address = link_text(piece.target)
        return f'<a href="{address}" style="color:{theme.accent}"{tip}>{text}</a>'
    if piece.stress is Stress.NUMBER:
        return f"<b>{text}</b>"
    return _coloured(text, theme.faint_text) if piece.stress is Stress.FAINT else text


def _coloured(inner: str, colour: str) -> str:
    return f'<span style="color:{colour}">{inner}</span>'
