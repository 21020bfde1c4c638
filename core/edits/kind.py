"""What one row of the table of kinds of decisions can be."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

from core.base.frozen import Frozen
from core.base.ids import NpuOpId
from core.edits.names import Names
from core.edits.plain import Json, Takes
from core.ir.edits import Edit, Subject, Value, What
from core.ir.fixed import Decided
from core.ir.layout import MemoryLayout
from core.ir.schedule import OpPlan, Schedule
from core.ir.shown import Aspect


class Here(Frozen, kw_only=False, dict=True):
    """A schedule with its addresses, and how its network calls what is in it."""

    schedule: Schedule
    layout: MemoryLayout
    names: Names

    @cached_property
    def plans(self) -> dict[NpuOpId, OpPlan]:
        """By operator: hundreds of edits ask for theirs."""
        return {plan.op: plan for island in self.schedule.islands for plan in island.ops}


class Written(Frozen):
    """How files have a decision about some subjects."""

    subjects: tuple[Json, ...]
    """Their schemas."""
    about: str
    """Whom it is about, in words."""
    value: Json
    meaning: str
    example: str


class EditKind(Frozen):
    """One row of the table."""

    what: What
    takes: Takes
    written: tuple[Written, ...]
    rules: tuple[Value, ...] | None = None
    """The only values that a rule can ask for; None where it can for all."""
    no_rule: str = ""
    """What is said of a rule that asks for another."""
    wrong: Callable[[Subject, Any], str] = lambda *_: ""
    """What is wrong with a value for a subject, each of which is right by itself."""
    decided: Callable[[Edit, Names], tuple[Decided, ...]]
    """What an edit decides, by the ids of a lowered network."""
    aspects: Callable[[Edit, Names], Iterator[Aspect]]
    """What of a schedule an edit has a say in, subject by subject."""
    applied: Callable[[Here, Edit], Value | None]
    """The value that a schedule has at an edit's subject; None where nothing there has one."""
    holds: Callable[[Any, Any], bool] = operator.eq
    """Whether what is asked for is so where there is the other."""
    merged: Callable[[Sequence[Any]], Sequence[Any]] = lambda values: values[-1:]
    """What edits about the same come to that do not contradict each other."""
    has_one: bool = False
    """Whether there is one value for what edits decide, so that others contradict it."""
