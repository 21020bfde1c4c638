"""What a report says of a schedule, section by section; whoever asks says what time it is."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping

from core.base.frozen import Frozen, field
from core.base.version import VERSION
from core.ir.advice import Tip
from core.ir.knobs import command_line
from core.ir.scheduled import Scheduled
from core.ir.settings import Settings
from core.ir.together import Together
from core.ir.trace import Analysis
from core.report.board.sizes import board_of
from core.report.calls import TITLE as CALLS
from core.report.measured.match import Measured
from core.report.options_text import option_rows
from core.report.page import sections
from core.report.page.document import Block, Document, Pairs, Picture, Section
from core.report.page.sections import board_blocks, snippet_blocks
from core.report.words import counted, fast_storage_text, hertz_text


class Contents(Frozen):
    """What a report can have besides the schedule itself."""

    pictures: Mapping[str, bytes] = field(default_factory=dict)
    """Contents of SVG or PNG files by title, in their order."""
    dark_pictures: Mapping[str, bytes] = field(default_factory=dict)
    """The same in dark colours, where the reader is to have what his system asks for."""
    now: str | None = None
    """When it is made, as it is to be written; without it, the report does not say."""
    measured: Measured | None = None
    advice: tuple[Tip, ...] = ()
    """What would help, as it was tried."""
    command: tuple[str, ...] = ()
    """The words that make the report again; they name files of edits and notes."""
    together: Together | None = None
    """Where other models in the same device lie."""


NOTHING_MORE = Contents()


def document_of(
    material: Scheduled, analysis: Analysis, contents: Contents = NOTHING_MORE
) -> Document:
    """The whole report."""
    target = material.target
    accelerator = target.accelerator.name
    when = f", {contents.now}" if contents.now is not None else ""
    about = (accelerator, target.system.name, target.mode.name, _limit_text(material))
    return Document(
        title=f"{material.name} on {accelerator}",
        model=material.name,
        subtitle=" \N{MIDDLE DOT} ".join(about),
        verdict=sections.verdict(material, contents.together),
        figures=tuple(sections.figures(material)),
        sections=tuple(
            Section(name=name, title=title, blocks=blocks)
            for name, title, found in _sections(material, analysis, contents)
            if (blocks := tuple(found))
        ),
        foot=f"Reefpoint {VERSION}{when}. Cycles are estimates; the board has the last word.",
    )


def _sections(
    material: Scheduled, analysis: Analysis, contents: Contents
) -> Iterator[tuple[str, str, Iterable[Block]]]:
    """Names, titles and blocks; those that have nothing to say are left out."""
    board, measured = board_of(material), contents.measured
    pictures = (
        Picture(title=title, content=data, dark=contents.dark_pictures.get(title, b""))
        for title, data in contents.pictures.items()
    )
    facts = Pairs(name="facts-list", items=tuple(_facts(material, contents)))
    yield "where", "Where the time goes", sections.where(material)
    yield "facts", "What was scheduled", [facts]
    yield "together", "Models in one device", sections.together(contents.together)
    yield "notes", "Notes", sections.notes(material)
    yield "pictures", "Pictures", pictures
    yield "all-operators", "Operators", [sections.operators(material, measured)]
    yield "all-stripes", "Stripes, blocks and slices", sections.stripe_tables(material)
    yield "all-cascades", "Cascades", sections.cascades(material)
    yield "all-calls", CALLS, sections.calls(material)
    yield "on-the-cpu", "Operators on the CPU", sections.cpu_operators(material)
    yield "memory", "Memory", sections.memory(material)
    yield "all-schedules", "Schedules that were found", sections.front_tables(material)
    yield "advice", "What would help, each of it tried", sections.advice(material, contents.advice)
    yield "edits", "Edits", sections.edits(material)
    yield "why", "Why it is so", sections.decisions(material, analysis)
    if measured is not None:
        yield "all-measured", "Measured", sections.measured_summary(material, measured)
    yield "estimate-error", "How true cycles are", sections.estimate_error()
    yield "board", "Sizes for the board", board_blocks(board)
    yield "snippets", "Snippets", snippet_blocks(board)


def _limit_text(material: Scheduled) -> str:
    is_told = material.compiled_by is None
    return fast_storage_text(material.target) if is_told else "limit not told"


def _facts(material: Scheduled, contents: Contents) -> Iterator[tuple[str, str]]:
    target, graph = material.target, material.graph
    command, together = contents.command, contents.together
    yield "model", material.name
    yield "digest of the network", graph.network
    if together is not None:
        yield "with", f"{', '.join(together.models[1:])}, called {together.calls.value}"
    yield "accelerator", target.accelerator.name
    yield "system config", f"{target.system.name}, {hertz_text(target.system.core_clock_hz)}"
    yield "memory mode", f"{target.mode.name}, {_limit_text(material)}"
    if material.compiled_by is None:
        yield from option_rows(material)
        if not (command or material.options.edits or material.notes):
            command = command_line(Settings.of(material.target, material.options))
        if command:
            yield "command line", shlex.join(command)
    else:
        yield "compiled by", material.compiled_by
    result = (
        counted(len(graph.ops), "NPU operator"),
        counted(len(graph.islands), "command stream"),
        counted(len(material.cascade_numbers()), "cascade"),
        counted(len(graph.cpu_ops), "operator") + " on the CPU",
    )
    yield "result", ", ".join(result)
    yield from (("warning", warning) for warning in graph.warnings)
