"""The options of a schedule in words: one text for all places that name them."""

from __future__ import annotations

from core.ir import knobs
from core.ir.options import Engine, Options
from core.ir.settings import Settings

_ENGINES = {Engine.CASCADING: "cascading engine", Engine.PARETO: "Pareto engine"}


def options_text(options: Options) -> str:
    """What matters most, in a line."""
    parts = [options.strategy.value, options.allocator.value, _ENGINES[options.engine]]
    if options.engine is Engine.PARETO and options.pareto.most_bytes is not None:
        parts.append(knobs.knob_named("pareto.most_bytes").text(options.pareto.most_bytes))
    return ", ".join(parts)


def option_rows(options: Options) -> tuple[tuple[str, str], ...]:
    """All that has an effect, each with its title."""
    asked = Settings(options=options)
    own = (knob for knob in knobs.told(asked) if knob.is_option)
    return tuple((knob.title, knob.text(knob.value(asked))) for knob in own)
