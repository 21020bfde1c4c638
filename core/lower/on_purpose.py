"""Operators that are put on the CPU on purpose, and what names them.

A word is a kind (`SOFTMAX`, of which all go), an operator of the main subgraph by its number in the
file (`#17`), its name: whole, or an ending that only one has; or a query (`kind=CONV_2D number>9`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from core.base.errors import OptionError
from core.base.ids import OpId, OpRef, SubgraphId
from core.base.query import Fields, Thing, Value, query_of
from core.edits.names import counted
from core.edits.rules import FIELDS
from core.edits.spelled import ends_so
from core.ir.edits import OpNamed
from core.ir.network import Network
from core.ir.npugraph import ON_PURPOSE
from core.lower.legality.rule import Rule

OPTION = "--to-cpu"
Named = Mapping[OpRef, str]
"""The operators, each with what asks for it."""
NOBODY: Named = MappingProxyType({})
_NUMBER = re.compile(r"#([0-9]{1,9})")
_FEW = 3
_SIGNS = frozenset("=<>~")
"""Of which a query has one."""
_FIELDS: Fields = MappingProxyType({name: kind for name, kind in FIELDS.items() if name != "title"})
"""Titles are given to what is lowered, and this is decided before."""


def named_for_cpu(network: Network, words: Sequence[str], kinds: Collection[str]) -> Named:
    """What the words name; an OptionError where one names nothing.

    A word for all models of a project may be a kind that one of them lacks.
    """
    if not words:
        return {}
    named = _names(network)
    found: dict[OpRef, str] = {}
    for word in words:
        ops = (
            _of_kind(network, word)
            or _of_number(network, word)
            or _of_name(named, word)
            or _of_query(network, word)
        )
        if not ops and word.upper() not in kinds:
            known = {*named, *(op.title for each in network.subgraphs for op in each.operators)}
            raise OptionError.unknown(f"operator of {OPTION}", word, known)
        found |= dict.fromkeys(ops, f"{OPTION} {word}")
    return found


def named_by_edits(network: Network, names: Collection[OpNamed]) -> Named:
    """The operators that edits put on the CPU; the network need not have all of them."""
    if not names:
        return {}
    refs = [
        OpRef(SubgraphId(index), OpId(number))
        for index, subgraph in enumerate(network.subgraphs)
        for number in range(len(subgraph.operators))
    ]
    own = [OpNamed(*each) for each in counted([name_of(network, ref) for ref in refs])]
    return {ref: "an edit" for ref, name in zip(refs, own, strict=True) if name in names}


def name_of(network: Network, ref: OpRef) -> str:
    """What users call an operator: the tensor that it makes first."""
    outputs = network.operator(ref).outputs
    return network.subgraphs[ref.subgraph].tensors[outputs[0]].name if outputs else ""


def rule_of(asked: str) -> Rule:
    """What an operator breaks that is to be on the CPU."""
    return Rule(
        text=ON_PURPOSE,
        accepted=f"what neither {OPTION} nor an edit names",
        check=lambda _: asked,
    )


def _names(network: Network) -> dict[str, list[OpRef]]:
    """Operators by the name of their first output, as users know them."""
    found: dict[str, list[OpRef]] = {}
    for index, subgraph in enumerate(network.subgraphs):
        for number, op in enumerate(subgraph.operators):
            if op.outputs:
                ref = OpRef(SubgraphId(index), OpId(number))
                found.setdefault(subgraph.tensors[op.outputs[0]].name, []).append(ref)
    return found


def _of_kind(network: Network, word: str) -> list[OpRef]:
    return [
        OpRef(SubgraphId(index), OpId(number))
        for index, subgraph in enumerate(network.subgraphs)
        for number, op in enumerate(subgraph.operators)
        if word.upper() in (op.kind, op.title.upper())
    ]


def _of_number(network: Network, word: str) -> list[OpRef]:
    number = _NUMBER.fullmatch(word)
    if number is None or int(number[1]) >= len(network.subgraphs[0].operators):
        return []
    return [OpRef(SubgraphId(0), OpId(int(number[1])))]


def _of_query(network: Network, word: str) -> list[OpRef]:
    """What a query of the operators' filter finds, where a word can be one."""
    if _SIGNS.isdisjoint(word):
        return []
    try:
        test = query_of(word, _FIELDS).test
    except OptionError as error:
        raise OptionError(f"{OPTION} {word}: {error}") from error
    refs = (
        OpRef(SubgraphId(index), OpId(number))
        for index, subgraph in enumerate(network.subgraphs)
        for number in range(len(subgraph.operators))
    )
    found = [ref for ref in refs if test(_thing(network, ref))]
    if not found:
        raise OptionError(f"{OPTION} {word}: no operator of the file is so")
    return found


def _thing(network: Network, ref: OpRef) -> Thing:
    """An operator as queries see it."""
    op, name = network.operator(ref), name_of(network, ref)
    values: dict[str, Value] = {
        "name": name,
        "kind": op.title,
        "source": op.title,
        "number": float(ref.op),
        "is": frozenset({"operator"}),
    }
    if op.outputs:
        made = network.subgraphs[ref.subgraph].tensors[op.outputs[0]]
        values["shape"] = "x".join(map(str, made.shape))
        values["bytes"] = float(made.elements * made.dtype.bits // 8)
    return Thing((name, op.title), values)


def _of_name(named: Mapping[str, list[OpRef]], word: str) -> list[OpRef]:
    if word in named:
        return named[word]
    ends = [name for name in named if ends_so(name, word)]
    if len(ends) > 1:
        raise OptionError(f"{OPTION} {word}: several names end so: {', '.join(ends[:_FEW])}")
    return named[ends[0]] if ends else []
