"""Names as people write them in a file of edits: whole, as titles, as `#31`, or by a unique ending.

What names one thing of a network is that thing's whole name from then on; all else stays as it is
written, and is told with the names that it may have meant.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TypeVar

from core.base.frozen import replace
from core.base.ids import NpuOpId
from core.edits.names import Names
from core.edits.processors import source_named, sources_of
from core.edits.rules import expanded
from core.ir.edits import (
    EdgeNamed,
    Edit,
    MapNamed,
    OpNamed,
    OpsNamed,
    Rule,
    SpanNamed,
    Subject,
)
from core.ir.npugraph import NpuGraph

_NUMBER = re.compile(r"#([0-9]{1,9})")
_INSIDE = re.compile(r"[A-Za-z0-9]")
"""Before an ending that begins within a word."""
_LIKENESS = 0.6
_MOST_NEAR = 3
_MOST_LETTERS = 60
"""What has a longer name is told by its title, which can be written as well."""

Named = TypeVar("Named", OpNamed, MapNamed)


def spelled(asked: Sequence[Edit | Rule], graph: NpuGraph) -> tuple[Edit, ...]:
    """The edits with the whole names of what they are about, and for a rule those that it makes."""
    if not asked:
        return ()
    speller = _Speller(graph)
    return tuple(edit for each in asked for edit in speller.edits(each))


def reach(asked: Sequence[Edit | Rule], edits: Sequence[Edit]) -> Iterator[tuple[Rule, int]]:
    """Each rule of what was asked for, with the number of edits that it has made."""
    made = Counter((edit.rule, edit.what, edit.value) for edit in edits)
    for each in asked:
        if isinstance(each, Rule):
            yield each, made[each.query, each.what, each.value]


class _Speller:
    """The names of one network, ready to be asked for many."""

    def __init__(self, graph: NpuGraph) -> None:
        self.graph, self.names = graph, Names.of(graph)
        names = self.names
        titles = graph.titles
        self.ops = dict(zip(titles.ops, names.ops, strict=True))
        self.maps = dict(zip(titles.maps, names.maps, strict=True))
        self.sources = sources_of(graph)
        self.made = tuple(names.maps[op.ofm.fm] for op in graph.ops)

    def edits(self, asked: Edit | Rule) -> tuple[Edit, ...]:
        """An edit by whole names, or those of a rule."""
        if isinstance(asked, Edit):
            return (self._edit(asked),)
        value = self._op(asked.value) if isinstance(asked.value, OpNamed) else asked.value
        return expanded(replace(asked, value=value), self.graph, self.names)

    def _edit(self, edit: Edit) -> Edit:
        subject, value = self._subject(edit.subject), edit.value
        if edit.what.is_of_file and isinstance(subject, OpNamed):
            subject = self._source(edit.subject, subject)
        if isinstance(value, OpNamed):
            value = self._op(value)
        if subject == edit.subject and value == edit.value:
            return edit
        return replace(edit, subject=subject, value=value)

    def _source(self, written: Subject, found: OpNamed) -> OpNamed:
        """The operator of the file, which may have no operator of the NPU to its name."""
        if isinstance(written, OpNamed) and written in self.sources:
            return written
        op = self.names.op_ids.get(found)
        own = None if op is None else source_named(op, self.graph)
        return _ending(found, tuple(self.sources)) if own is None else own

    def _subject(self, subject: Subject) -> Subject:
        match subject:
            case OpNamed():
                return self._op(subject)
            case MapNamed():
                return self._map(subject)
            case EdgeNamed(maker, reader):
                return EdgeNamed(self._op(maker), self._op(reader))
            case OpsNamed(ops):
                return OpsNamed(tuple(map(self._op, ops)))
            case SpanNamed(first, last):
                return SpanNamed(self._op(first), self._op(last))

    def _op(self, name: OpNamed) -> OpNamed:
        if name in self.names.op_ids:
            return name
        return (
            self._of_number(name, self.names.ops)
            or self.ops.get(name.name)
            or (_ending(name, self.names.ops))
        )

    def _map(self, name: MapNamed) -> MapNamed:
        """A map has the number of the operator that makes it."""
        if name in self.names.map_ids:
            return name
        return (
            self._of_number(name, self.made)
            or self.maps.get(name.name)
            or (_ending(name, self.names.maps))
        )

    @staticmethod
    def _of_number(name: OpNamed | MapNamed, by_op: Sequence[Named]) -> Named | None:
        number = _NUMBER.fullmatch(name.name)
        if number is None or name.ordinal or int(number[1]) >= len(by_op):
            return None
        return by_op[NpuOpId(int(number[1]))]


def _ending(name: Named, known: Sequence[Named]) -> Named:
    """The one name that ends so; the name itself where none does, or several."""
    ends = {
        each for each in known if each.ordinal == name.ordinal and ends_so(each.name, name.name)
    }
    return ends.pop() if len(ends) == 1 else name


def ends_so(name: str, ending: str) -> bool:
    """Whether a name ends so, from where one of its words begins."""
    if not ending or not name.endswith(ending):
        return False
    before = name[: -len(ending)][-1:]
    return not (_INSIDE.match(before) and _INSIDE.match(ending))


def near(name: OpNamed | MapNamed, graph: NpuGraph) -> tuple[str, ...]:
    """What a missing name may have meant, to be written instead: those first that end so."""
    names, titles = Names.of(graph), graph.titles
    pairs: Iterable[tuple[OpNamed | MapNamed, str]] = (
        zip(names.ops, titles.ops, strict=True)
        if isinstance(name, OpNamed)
        else zip(names.maps, titles.maps, strict=True)
    )
    if _NUMBER.fullmatch(name.name):
        return (f"#{len(names.ops) - 1}",)
    return _near(name.name, tuple((each.name, title) for each, title in pairs))


@lru_cache(maxsize=64)
def _near(name: str, known: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    """A network is asked for the same missing names by each search."""
    told = {whole: whole if len(whole) <= _MOST_LETTERS else title for whole, title in known}
    # Converters join the names of what they fuse.
    parts_of = {whole: whole.split(";") for whole in told}
    ends = [whole for whole in told if any(ends_so(part, name) for part in parts_of[whole])]
    if ends:
        return tuple(told[whole] for whole in ends[:_MOST_NEAR])
    depth = name.count("/") + 1
    by_form = {title: told[whole] for whole, title in known}
    for whole, parts in parts_of.items():
        for form in (whole, *parts, *("/".join(part.split("/")[-depth:]) for part in parts)):
            by_form.setdefault(form, told[whole])
    close = difflib.get_close_matches(name, by_form, n=1, cutoff=_LIKENESS)
    return tuple(by_form[form] for form in close)
