"""Rules that are on together: queries in an order, each with a colour of its own."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType

from core.api.queries import Query
from core.base.frozen import Frozen
from gui.present.operators.order import Filter, filter_of
from gui.theme.tones import RULES as TONES
from gui.theme.tones import Tone

PRESETS = MappingProxyType(
    {
        "Most of the time": "share>=5%",
        "Wait for DRAM": "waits=DRAM",
        "Hardly use the MACs": "utilisation<20% share>1%",
        "With evicted maps": "is=evicted",
        "On the CPU": "is=cpu",
        "In cascades": "is=cascaded",
        "Edited": "is=edited",
        "Otherwise than in A": "is=differs",
    }
)
"""What is often asked."""
_NAMES = {query: name for name, query in PRESETS.items()}
MOST = len(TONES)
"""So many can be told apart by their colours."""


KeptRules = tuple[tuple[str, int], ...]
"""Of each its query, and the number of its colour."""


class Rule(Frozen, eq=False):
    """A query that is on."""

    query: Query
    tone: Tone

    @property
    def text(self) -> str:
        """As it was typed."""
        return self.query.text

    @property
    def name(self) -> str:
        """What it is called."""
        return _NAMES.get(self.text, self.text)


class Rules(Frozen, eq=False):
    """What is on, the one that wins first."""

    on: tuple[Rule, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """What each asks."""
        return tuple(rule.text for rule in self.on)

    def switched(self, text: str, tone: Tone | None = None) -> Rules:
        """With a query on at the end, in a colour that is free, or off; all else keeps its own."""
        if text in self.texts:
            return Rules(on=tuple(rule for rule in self.on if rule.text != text))
        used = {rule.tone for rule in self.on}
        free = [each for each in (tone, *TONES) if each is not None and each not in used]
        query = filter_of(text).query
        if query is None or not free:
            return self
        return Rules(on=(*self.on, Rule(query=query, tone=free[0])))

    def moved(self, text: str, by: int) -> Rules:
        """With a rule so many places further on."""
        rules = list(self.on)
        at = self.texts.index(text)
        rules.insert(min(max(at + by, 0), len(rules) - 1), rules.pop(at))
        return Rules(on=tuple(rules))

    @property
    def kept(self) -> KeptRules:
        """What sessions and exports keep of them."""
        return tuple((rule.text, TONES.index(rule.tone)) for rule in self.on)


def rules_from(plain: Iterable[object]) -> Rules:
    """Those that a session has kept; what is none is passed over."""
    found = Rules()
    for each in plain:
        match each:
            case [str() as text, int() as place] if text not in found.texts:
                found = found.switched(text, TONES[place % MOST])
    return found


def listed(typed: Filter, rules: Rules, chosen: Rule | None = None) -> Filter:
    """What is looked at: what any rule finds, or the one that is chosen; of that, what is typed."""
    asked = rules.on if chosen is None else (chosen,)
    if not asked:
        return typed
    tests = [rule.query.test for rule in asked]
    narrow = None if typed.query is None else typed.query.test
    query = Query(
        text=" or ".join(f"({rule.text})" for rule in asked),
        test=lambda thing: any(test(thing) for test in tests) and (narrow is None or narrow(thing)),
    )
    return Filter(query=query, error=typed.error)
