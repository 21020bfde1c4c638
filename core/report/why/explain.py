"""Why a schedule is as it is: for anything in it, sentences with the numbers that decided."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.frozen import NamedTuple
from core.base.ids import FmId, IslandId, NpuOpId
from core.ir.scheduled import Scheduled
from core.ir.trace import Analysis
from core.report.why import compiled
from core.report.why.cascade import cascade_sentences
from core.report.why.cpu_op import cpu_sentences
from core.report.why.facts import Facts, Sentence
from core.report.why.feature_map import map_sentences
from core.report.why.lead import (
    MOST_REASONS,
    OF_BUFFER,
    OF_CASCADE,
    OF_MAP,
    OF_NETWORK,
    OF_OPERATOR,
    Lead,
    first_of,
    of_cascade,
    of_map,
    of_network,
    of_operator,
    reasons_of,
)
from core.report.why.network import network_sentences
from core.report.why.npu_op import operator_sentences
from core.report.why.weights import buffer_sentences, weight_sentences


class AboutOp(NamedTuple):
    """An operator of the accelerator."""

    op: NpuOpId


class AboutMap(NamedTuple):
    """A feature map, or a constant that an operator reads."""

    fm: FmId


class AboutCascade(NamedTuple):
    """A cascade, by its island and its position there."""

    island: IslandId
    cascade: int


class AboutBuffer(NamedTuple):
    """One of an operator's weight buffers."""

    op: NpuOpId
    buffer: int


class AboutCpuOp(NamedTuple):
    """An operator on the CPU, by its position among them."""

    position: int


class AboutNetwork(NamedTuple):
    """The schedule as a whole."""


Subject = AboutOp | AboutMap | AboutCascade | AboutBuffer | AboutCpuOp | AboutNetwork


def explain(material: Scheduled, analysis: Analysis, subject: Subject) -> tuple[Sentence, ...]:
    """Sentences about a subject, those of one topic together, in the order of their first."""
    facts = Facts(material, analysis)
    tell = _sentences if material.compiled_by is None else _of_compiled
    found = tuple(tell(facts, subject))
    topics = list(dict.fromkeys(sentence.topic for sentence in found))
    return tuple(sorted(found, key=lambda sentence: topics.index(sentence.topic)))


def lead(material: Scheduled, analysis: Analysis, subject: Subject) -> Lead:
    """What is said first about a subject, and the reasons that matter most."""
    facts = Facts(material, analysis)
    told = explain(material, analysis, subject)
    match subject:
        case AboutOp(op):
            return Lead(of_operator(facts, op), reasons_of(told, OF_OPERATOR))
        case AboutMap(fm):
            return Lead(of_map(facts, fm), reasons_of(told, OF_MAP))
        case AboutCascade(island, cascade):
            return Lead(of_cascade(facts, island, cascade), reasons_of(told, OF_CASCADE))
        case AboutBuffer():
            return Lead(first_of(told), reasons_of(told, OF_BUFFER))
        case AboutCpuOp():
            return Lead(first_of(told), told[1 : 1 + MOST_REASONS])
        case AboutNetwork():
            return Lead(of_network(facts), reasons_of(told, OF_NETWORK))


def _sentences(facts: Facts, subject: Subject) -> Iterator[Sentence]:
    match subject:
        case AboutOp(op):
            return operator_sentences(facts, op)
        case AboutMap(fm):
            return map_sentences(facts, fm)
        case AboutCascade(island, cascade):
            return cascade_sentences(facts, island, cascade)
        case AboutBuffer(op, buffer):
            return _buffer(facts, op, buffer)
        case AboutCpuOp(position):
            return cpu_sentences(facts, position)
        case AboutNetwork():
            return network_sentences(facts)


def _of_compiled(facts: Facts, subject: Subject) -> Iterator[Sentence]:
    """What a compiled model shows; nothing of it says why."""
    match subject:
        case AboutOp(op):
            return compiled.operator_sentences(facts, op)
        case AboutMap(fm):
            return compiled.map_sentences(facts, fm)
        case AboutCascade(island, cascade):
            return compiled.cascade_sentences(facts, island, cascade)
        case AboutBuffer(op, buffer):
            return compiled.buffer_sentences(facts, op, buffer)
        case AboutCpuOp(position):
            return compiled.cpu_sentences(facts, position)
        case AboutNetwork():
            return compiled.network_sentences(facts)


def _buffer(facts: Facts, op: NpuOpId, buffer: int) -> Iterator[Sentence]:
    yield from buffer_sentences(facts, op, buffer)
    yield from weight_sentences(facts, op)
