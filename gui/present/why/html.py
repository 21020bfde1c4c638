"""An explanation as rich text, with selections as the addresses of its links."""

from __future__ import annotations

from itertools import groupby

from core.base.harmless import xml_text
from core.base.ids import FmId, IslandId, NpuOpId
from gui.document.selection import NOTHING_SELECTED, BufferRef, CascadeRef, Selection
from gui.present.why.edits import Do, TakeWay
from gui.present.why.subject import Link, Target
from gui.present.why.text import Explanation, Phrase, Stress, Topic
from gui.theme.tones import Theme


def link_text(target: Target) -> str:
    """What a link leads to, as its address."""
    if isinstance(target, Do):
        return f"do:{target.command}"
    if isinstance(target, TakeWay):
        return f"way:{target.place}:{target.way}"
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


def to_html(told: Explanation, theme: Theme) -> str:
    """A title, links, headings and sentences, in the colours of a theme."""
    head = xml_text(told.title)
    title = _paragraph(f"<big><b>{head}</b></big>", "0px 0px 4px 0px")
    groups = groupby(told.related, key=lambda link: link.group)
    related = (_related(group, list(links), theme) for group, links in groups)
    topics = (_topic(topic, theme) for topic in told.topics)
    parts = (title, *related, *topics)
    return f'<div style="color:{theme.text}">{"".join(parts)}</div>'


def _related(group: str, links: list[Link], theme: Theme) -> str:
    anchors = (
        _piece(Phrase(link.text, Stress.LINK, link.target, link.tip), theme) for link in links
    )
    return _paragraph(
        f"{_coloured(group, theme.faint_text)} " + " · ".join(anchors), "0px 0px 1px 0px"
    )


def _topic(topic: Topic, theme: Theme) -> str:
    title = _coloured(f"<b>{xml_text(topic.title)}</b>", theme.faint_text)
    sentences = (
        _paragraph("".join(_piece(piece, theme) for piece in line), "0px 0px 4px 10px")
        for line in topic.sentences
    )
    return _paragraph(title, "8px 0px 2px 0px") + "".join(sentences)


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
