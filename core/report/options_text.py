"""The options of a schedule in words: one text for all places that name them."""

from __future__ import annotations

from collections.abc import Iterator

from core.ir.options import Engine, Options, ParetoOptions

ENGINES = {Engine.CASCADING: "cascading engine", Engine.PARETO: "Pareto engine"}


def options_text(options: Options) -> str:
    """What matters most, in a line."""
    parts = [options.strategy.value, options.allocator.value, ENGINES[options.engine]]
    if options.engine is Engine.PARETO and options.pareto.most_bytes is not None:
        parts.append(_point_text(options.pareto))
    return ", ".join(parts)


def option_rows(options: Options) -> tuple[tuple[str, str], ...]:
    """All that has an effect, each with its title."""
    return tuple(_rows(options))


def _rows(options: Options) -> Iterator[tuple[str, str]]:
    yield "strategy", options.strategy.value
    yield "engine", options.engine.value
    if options.engine is Engine.PARETO:
        yield from _pareto_rows(options.pareto)
    else:
        yield "search", options.search.value
    yield "spilling", options.eviction.value
    yield "allocator", options.allocator.value
    if options.lowering.force_symmetric_int_weights:
        yield "signed weights", "as symmetric"


def _pareto_rows(pareto: ParetoOptions) -> Iterator[tuple[str, str]]:
    yield "Pareto metric", pareto.metric.value
    yield "schedule of the front", _point_text(pareto)
    switches = {
        "cascades": pareto.cascading,
        "outputs on inputs": pareto.overlap,
        "IFM streaming": pareto.ifm_streaming,
    }
    never = [name for name, is_allowed in switches.items() if not is_allowed]
    if never:
        yield "not allowed", ", ".join(never)


def _point_text(pareto: ParetoOptions) -> str:
    """Which schedule of a front is taken."""
    if pareto.most_bytes is None:
        return "by strategy"
    return f"the fastest within {pareto.most_bytes:,} bytes"
