"""Operators that are put on the CPU on purpose, and what names them.

A word is a kind (`SOFTMAX`, of which all go), an operator of the main subgraph by its number in the
file (`#17`), or its name: whole, or an ending that only one has.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from core.base.errors import OptionError
from core.base.ids import OpId, OpRef, SubgraphId
from core.edits.spelled import ends_so
from core.ir.network import Network
from core.lower.legality.rule import Rule

OPTION = "--to-cpu"
Named = Mapping[OpRef, str]
"""The operators, each with the word that names it."""
NOBODY: Named = MappingProxyType({})
_NUMBER = re.compile(r"#([0-9]{1,9})")
_FEW = 3


def named_for_cpu(network: Network, words: Sequence[str], kinds: Collection[str]) -> Named:
    """What the words name; an OptionError where one names nothing.

    A word for all models of a project may be a kind that one of them lacks.
    """
    if not words:
        return {}
    named = _names(network)
    found: dict[OpRef, str] = {}
    for word in words:
        ops = _of_kind(network, word) or _of_number(network, word) or _of_name(named, word)
        if not ops and word.upper() not in kinds:
            known = {*named, *(op.title for each in network.subgraphs for op in each.operators)}
            raise OptionError.unknown(f"operator of {OPTION}", word, known)
        found |= dict.fromkeys(ops, word)
    return found


def rule_of(word: str) -> Rule:
    """What an operator breaks that is named so."""
    return Rule(
        text="Nobody asked for it to run on the CPU",
        accepted=f"what {OPTION} does not name",
        check=lambda _: f"{OPTION} {word}",
    )


def word_for_cpu(network: Network, ref: OpRef) -> str:
    """A word that names this operator alone, or with it those that nothing else tells from it."""
    op = network.operator(ref)
    name = network.subgraphs[ref.subgraph].tensors[op.outputs[0]].name if op.outputs else ""
    is_plain = bool(name) and name == name.strip() and "," not in name
    is_own = is_plain and len(_names(network)[name]) == 1 and not _of_kind(network, name)
    return name if is_own or ref.subgraph else f"#{ref.op}"


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


def _of_name(named: Mapping[str, list[OpRef]], word: str) -> list[OpRef]:
    if word in named:
        return named[word]
    ends = [name for name in named if ends_so(name, word)]
    if len(ends) > 1:
        raise OptionError(f"{OPTION} {word}: several names end so: {', '.join(ends[:_FEW])}")
    return named[ends[0]] if ends else []
