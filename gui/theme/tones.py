"""Colours by meaning; classes differ in lightness and pattern too, for all who look."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from types import MappingProxyType

from core.base.frozen import Frozen, NamedTuple, replace


class Tone(enum.Enum):
    """What a colour stands for."""

    FEATURE_MAP = "feature map"
    WAITING = "feature map that waits"
    """Others run between those that make and read it."""
    ROLLING = "rolling buffer"
    WEIGHTS = "weight buffer"
    DOUBLE = "double weight buffer"
    CONSTANT = "constant"
    TABLE = "table"
    RESERVED = "reserved"
    PADDING = "alignment padding"
    GHOST = "evicted"
    COMPUTE = "MAC"
    ELEMENTWISE = "element-wise"
    STALL = "stall"
    PREFETCH = "prefetch"
    COPY = "copy"
    CPU = "CPU"
    OVER = "above the limit"
    SHARED = "written over rows that were read"
    USED = "in use"
    HEAT_1 = "least"
    HEAT_2 = "little"
    HEAT_3 = "some"
    HEAT_4 = "middling"
    HEAT_5 = "much"
    HEAT_6 = "very much"
    HEAT_7 = "most"
    BY_MACS = "decided by MAC units"
    BY_SRAM = "decided by the SRAM port"
    BY_EXTERNAL = "decided by the external port"
    BY_DECODER = "decided by the weight decoder"
    BY_OUTPUT = "decided by output"
    BY_COMMANDS = "decided by commands"
    BY_LATENCY = "decided by latency"
    RULE_1 = "found by a rule"
    RULE_2 = "found by a second rule"
    RULE_3 = "found by a third rule"
    RULE_4 = "found by a fourth rule"
    RULE_5 = "found by a fifth rule"
    RULE_6 = "found by a sixth rule"


RULES = (Tone.RULE_1, Tone.RULE_2, Tone.RULE_3, Tone.RULE_4, Tone.RULE_5, Tone.RULE_6)
"""Of rules that are on together: what they find keeps the pattern of its class."""

HEAT = (
    Tone.HEAT_1,
    Tone.HEAT_2,
    Tone.HEAT_3,
    Tone.HEAT_4,
    Tone.HEAT_5,
    Tone.HEAT_6,
    Tone.HEAT_7,
)
"""Steps of a metric from least to most, told apart by lightness alone."""


class Pattern(enum.Enum):
    """How an area is filled."""

    SOLID = "solid"
    HATCH = "hatch"
    """Lines from the lower left to the upper right."""
    BACK_HATCH = "back hatch"
    CROSS = "cross"
    DOTS = "dots"


class Shape(enum.Enum):
    """How a mark is drawn, which is too small for a pattern."""

    CIRCLE = "circle"
    SQUARE = "square"
    DIAMOND = "diamond"
    UP = "triangle that stands"
    DOWN = "triangle on its tip"
    BAR = "lying bar"
    CROSS = "cross"


SHAPES = MappingProxyType(
    {
        Tone.BY_MACS: Shape.CIRCLE,
        Tone.BY_SRAM: Shape.SQUARE,
        Tone.BY_EXTERNAL: Shape.DIAMOND,
        Tone.BY_DECODER: Shape.UP,
        Tone.BY_OUTPUT: Shape.DOWN,
        Tone.BY_COMMANDS: Shape.BAR,
        Tone.BY_LATENCY: Shape.CROSS,
    }
)
"""Of the tones that marks have."""


class Ink(NamedTuple):
    """How a class is drawn."""

    colour: str
    text: str
    """A colour that can be read on it."""
    pattern: Pattern


class Theme(Frozen):
    """A palette."""

    name: str
    is_dark: bool
    window: str
    base: str
    """Behind tables and canvases."""
    alternate: str
    control: str
    """Of buttons, boxes and handles, whose outline is no lighter than the window."""
    text: str
    faint_text: str
    """Contrast of at least 4.5 against the base all the same."""
    grid: str
    accent: str
    """Selection."""
    accent_text: str
    danger: str
    good: str
    warning: str
    inks: Mapping[Tone, Ink]
    ring_px: int = 1
    """Width of the line around what has the focus."""
    faded: float = 0.75
    """How much of the ground lies over what is not looked at."""

    @property
    def drawings(self) -> str:
        """Which of the drawings that are files go with it."""
        return "dark" if self.is_dark else "light"

    def found(self, rule: Tone, of: Tone) -> Ink:
        """The colour of a rule, with the pattern of the class of what it has found."""
        return self.inks[rule]._replace(pattern=self.inks[of].pattern)


_PATTERNS = {
    Tone.ROLLING: Pattern.BACK_HATCH,
    Tone.DOUBLE: Pattern.DOTS,
    Tone.GHOST: Pattern.HATCH,
    Tone.STALL: Pattern.HATCH,
    Tone.PADDING: Pattern.CROSS,
    Tone.RESERVED: Pattern.DOTS,
    Tone.PREFETCH: Pattern.DOTS,
    Tone.OVER: Pattern.SOLID,
    Tone.SHARED: Pattern.HATCH,
}


def _inks(colours: Mapping[Tone, tuple[str, str]]) -> Mapping[Tone, Ink]:
    return {
        tone: Ink(colour, text, _PATTERNS.get(tone, Pattern.SOLID))
        for tone, (colour, text) in colours.items()
    }


# Hues after Okabe and Ito, whose set keeps apart for the common kinds of colour blindness.
LIGHT = Theme(
    name="light",
    is_dark=False,
    window="#f3f4f6",
    base="#ffffff",
    alternate="#f7f8fa",
    control="#f7f8fa",
    text="#1b1f24",
    faint_text="#59636e",
    grid="#d8dde3",
    accent="#0b5cad",
    accent_text="#ffffff",
    danger="#b3261e",
    good="#1a7f37",
    warning="#8a5a00",
    inks=_inks(
        {
            Tone.FEATURE_MAP: ("#52b0e9", "#0b1a24"),
            Tone.WAITING: ("#375acd", "#ffffff"),
            Tone.ROLLING: ("#009e73", "#04140f"),
            Tone.WEIGHTS: ("#e69f00", "#201500"),
            Tone.DOUBLE: ("#f0c766", "#201500"),
            Tone.CONSTANT: ("#bbcce8", "#17102b"),
            Tone.TABLE: ("#8f62a1", "#ffffff"),
            Tone.RESERVED: ("#82824a", "#06080a"),
            Tone.PADDING: ("#c4bfc3", "#1b1f24"),
            Tone.GHOST: ("#cc79a7", "#2a0d1d"),
            Tone.COMPUTE: ("#108fe1", "#04121b"),
            Tone.ELEMENTWISE: ("#9ec9f2", "#0b1a24"),
            Tone.STALL: ("#cba598", "#2a0f06"),
            Tone.PREFETCH: ("#ecd085", "#201500"),
            Tone.COPY: ("#64d6c5", "#04140f"),
            Tone.CPU: ("#7d878c", "#06080a"),
            Tone.OVER: ("#d32f2f", "#ffffff"),
            Tone.SHARED: ("#10365c", "#ffffff"),
            Tone.USED: ("#9ccbe8", "#0b1a24"),
            Tone.HEAT_1: ("#f4efdc", "#201500"),
            Tone.HEAT_2: ("#ead9a0", "#201500"),
            Tone.HEAT_3: ("#dcbd66", "#201500"),
            Tone.HEAT_4: ("#c99a3c", "#201500"),
            Tone.HEAT_5: ("#a16a29", "#ffffff"),
            Tone.HEAT_6: ("#7f4726", "#ffffff"),
            Tone.HEAT_7: ("#54211d", "#ffffff"),
            Tone.BY_MACS: ("#0c2d8b", "#ffffff"),
            Tone.BY_SRAM: ("#10894b", "#000000"),
            Tone.BY_EXTERNAL: ("#3f2005", "#ffffff"),
            Tone.BY_DECODER: ("#b2861f", "#000000"),
            Tone.BY_OUTPUT: ("#aa10f2", "#ffffff"),
            Tone.BY_COMMANDS: ("#8c8c9e", "#000000"),
            Tone.BY_LATENCY: ("#7c0c52", "#ffffff"),
            Tone.RULE_1: ("#d69200", "#000000"),
            Tone.RULE_2: ("#50b5ff", "#000000"),
            Tone.RULE_3: ("#1b8c43", "#000000"),
            Tone.RULE_4: ("#5a1fd6", "#ffffff"),
            Tone.RULE_5: ("#541412", "#ffffff"),
            Tone.RULE_6: ("#f14e98", "#000000"),
        }
    ),
)

DARK = Theme(
    name="dark",
    is_dark=True,
    window="#1f2328",
    base="#16191d",
    alternate="#1b1f24",
    control="#1b1f24",
    text="#e6e9ed",
    faint_text="#9aa4af",
    grid="#343b43",
    accent="#5aa9f0",
    accent_text="#08121c",
    danger="#ff7b72",
    good="#56d364",
    warning="#e3b341",
    inks=_inks(
        {
            Tone.FEATURE_MAP: ("#409ef7", "#04121b"),
            Tone.WAITING: ("#435bd0", "#ffffff"),
            Tone.ROLLING: ("#00a678", "#02120d"),
            Tone.WEIGHTS: ("#e69f00", "#201500"),
            Tone.DOUBLE: ("#f0c766", "#201500"),
            Tone.CONSTANT: ("#b1a1da", "#120c22"),
            Tone.TABLE: ("#8066a8", "#ffffff"),
            Tone.RESERVED: ("#d6d6d6", "#06080a"),
            Tone.PADDING: ("#545c65", "#ffffff"),
            Tone.GHOST: ("#d483b0", "#230a18"),
            Tone.COMPUTE: ("#2b98ec", "#04121b"),
            Tone.ELEMENTWISE: ("#a3d3f7", "#04121b"),
            Tone.STALL: ("#a8766a", "#0d0503"),
            Tone.PREFETCH: ("#deba6c", "#201500"),
            Tone.COPY: ("#5ed6bd", "#04140f"),
            Tone.CPU: ("#738c96", "#06080a"),
            Tone.OVER: ("#fa584c", "#1f0605"),
            Tone.SHARED: ("#0b2239", "#ffffff"),
            Tone.USED: ("#3c6f8f", "#ffffff"),
            Tone.HEAT_1: ("#263341", "#ffffff"),
            Tone.HEAT_2: ("#30506b", "#ffffff"),
            Tone.HEAT_3: ("#3f7196", "#ffffff"),
            Tone.HEAT_4: ("#5a93b6", "#04121b"),
            Tone.HEAT_5: ("#86b4c9", "#04121b"),
            Tone.HEAT_6: ("#bdd5d6", "#04121b"),
            Tone.HEAT_7: ("#f3f2dd", "#04121b"),
            Tone.BY_MACS: ("#799dd7", "#000000"),
            Tone.BY_SRAM: ("#49f994", "#000000"),
            Tone.BY_EXTERNAL: ("#b34728", "#ffffff"),
            Tone.BY_DECODER: ("#dd9f19", "#000000"),
            Tone.BY_OUTPUT: ("#b616e7", "#ffffff"),
            Tone.BY_COMMANDS: ("#6c6969", "#ffffff"),
            Tone.BY_LATENCY: ("#f5dde8", "#000000"),
            Tone.RULE_1: ("#e4ac41", "#000000"),
            Tone.RULE_2: ("#4fabfc", "#000000"),
            Tone.RULE_3: ("#127269", "#ffffff"),
            Tone.RULE_4: ("#6f45ff", "#ffffff"),
            Tone.RULE_5: ("#ca251c", "#ffffff"),
            Tone.RULE_6: ("#e8ccf9", "#000000"),
        }
    ),
)

_STRONG_HEAT = MappingProxyType(
    {
        Tone.HEAT_1: ("#00639c", "#ffffff"),
        Tone.HEAT_2: ("#3c7aab", "#ffffff"),
        Tone.HEAT_3: ("#5d92bb", "#000000"),
        Tone.HEAT_4: ("#7aabca", "#000000"),
        Tone.HEAT_5: ("#96c4d9", "#000000"),
        Tone.HEAT_6: ("#c6dbdb", "#000000"),
        Tone.HEAT_7: ("#f3f2dd", "#000000"),
    }
)
"""Also the least is seen on black."""

CONTRAST = replace(
    DARK,
    name="contrast",
    window="#000000",
    base="#000000",
    alternate="#141414",
    control="#3a3a3a",
    text="#ffffff",
    faint_text="#f0f0f0",
    grid="#8c8c8c",
    accent="#ffd500",
    accent_text="#000000",
    danger="#ff9d94",
    good="#7dff96",
    warning="#ffe08a",
    inks={**DARK.inks, **_inks(_STRONG_HEAT)},
    ring_px=3,
    faded=0.57,
)
"""For those who need more: texts of at least 7 to 1, all of a picture at least 3 to 1, borders that
can be seen, a broad focus."""

THEMES = {theme.name: theme for theme in (LIGHT, DARK, CONTRAST)}
