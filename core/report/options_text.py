"""The options of a schedule in words: one text for all places that name them."""

from __future__ import annotations

from core.ir import knobs
from core.ir.engines import engine_text
from core.ir.options import Engine
from core.ir.scheduled import Scheduled
from core.ir.settings import Settings
from core.report.words import fast_storage_text

UNTOLD = "its limit and options are not told"


def options_text(material: Scheduled) -> str:
    """What matters most, in a line."""
    options = material.options
    parts = [options.strategy.value, allocator_text(material), engine_text(options)]
    if options.engine is Engine.PARETO and options.pareto.most_bytes is not None:
        parts.append(knobs.knob_named("pareto.most_bytes").text(options.pareto.most_bytes))
    return ", ".join(parts)


def asked_text(material: Scheduled) -> str:
    """What was asked for beside the target, in a line; a compiled model does not tell it."""
    if material.compiled_by is not None:
        return f"compiled by {material.compiled_by}; {UNTOLD}"
    return f"{fast_storage_text(material.target)}; {options_text(material)}"


def allocator_text(material: Scheduled) -> str:
    """Whose addresses are shown: where another found some within the limit, it was not asked."""
    asked = material.options.allocator
    found = material.layout.allocator or asked
    return found.value if found is asked else f"{found.value} instead of {asked.value}"


def option_rows(material: Scheduled) -> tuple[tuple[str, str], ...]:
    """All that has an effect, each with its title."""
    asked = Settings(options=material.options)
    own = (knob for knob in knobs.told(asked) if knob.is_option)
    return tuple(
        (
            knob.title,
            allocator_text(material) if knob.name == "allocator" else knob.text(knob.value(asked)),
        )
        for knob in own
    )
