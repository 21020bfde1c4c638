"""Why each part of a schedule is as it is, and what queries can ask of it, as plain values."""

from __future__ import annotations

import math
from typing import Any

from core.api import queries
from gui.document.answer import Answer
from gui.document.display import Display
from gui.document.selection import Selection
from gui.present.interactive.keys import key_of
from gui.present.interactive.texts import Texts
from gui.present.why.text import Line, Topic, explanation_of

Json = dict[str, Any]


def why(answer: Answer, selection: Selection, texts: Texts) -> Json:
    """What the panel Why says; links that decide something have no place on a page."""
    told = explanation_of(answer, selection, Display())
    return {
        "title": texts(told.title),
        "lead": [_line(line, texts) for line in (told.headline, *told.reasons)],
        "related": [
            [texts(link.group), texts(link.text), texts(key_of(link.target))]
            for link in told.related
            if isinstance(link.target, Selection)
        ],
        "topics": [_topic(topic, texts) for topic in (*told.own, *told.topics)],
    }


def _topic(topic: Topic, texts: Texts) -> list[Any]:
    return [texts(topic.title), [_line(line, texts) for line in topic.sentences]]


def _line(line: Line, texts: Texts) -> list[Any]:
    """A sentence: texts, and links as a text with a key."""
    pieces: list[Any] = []
    plain = ""
    for phrase in line:
        if not isinstance(phrase.target, Selection):
            plain += phrase.text
            continue
        pieces += [texts(plain)] if plain else []
        pieces.append([texts(phrase.text), texts(key_of(phrase.target))])
        plain = ""
    return [*pieces, texts(plain)] if plain else pieces


def things(answer: Answer, texts: Texts) -> list[Any]:
    """Operators and maps as queries see them: key, texts, and values in the order of `FIELDS`."""
    return [
        [
            texts(key_of(Selection(op=found.op, fm=found.fm, cpu_op=found.cpu_op))),
            [texts(text) for text in found.thing.texts],
            [_value(found.thing.values.get(field), texts) for field in queries.FIELDS],
        ]
        for found in queries.things_of(answer.scheduled)
    ]


def _value(value: float | str | frozenset[str] | None, texts: Texts) -> Any:
    if isinstance(value, frozenset):
        return sorted(map(texts, value))
    if isinstance(value, str):
        return texts(value)
    return None if value is None or math.isnan(value) else value
