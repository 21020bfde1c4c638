"""A schedule as one HTML file that needs nothing else: to read, to mail, to print.

No address in it leads outside, pictures are parts of it, and the same schedule gives the same bytes
where the caller says what time it is, or says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.base.digest import digest_bytes
from core.base.version import VERSION
from core.ir.trace import Analysis
from core.report.board.sizes import Board, board_of
from core.report.material import ScheduleMaterial
from core.report.measured.match import Measured
from core.report.options_text import option_rows
from core.report.page import parts
from core.report.page.board import board_section, snippet_section
from core.report.page.markup import element, escaped, pairs, picture
from core.report.page.style import ReportTheme, style
from core.report.schedule_json import command_line
from core.report.words import counted, fast_storage_text, hertz_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What a report can have besides the schedule itself."""

    pictures: Mapping[str, str | bytes] = field(default_factory=dict)
    """SVG text or PNG bytes by title, in their order."""
    theme: ReportTheme = ReportTheme.AUTO
    now: str | None = None
    """When it is made, as it is to be written; without it, the report does not say."""
    compiled: bytes | None = None
    """The compiled file, of which size and digest are told."""
    verification: Sequence[str] = ()
    """What executing the compiled file has shown, line by line."""
    measured: Measured | None = None
    board: Board | None = None
    """Sizes for the board, where they are those of a compiled file."""


NOTHING_MORE = Contents()


def render(
    material: ScheduleMaterial, analysis: Analysis, contents: Contents = NOTHING_MORE
) -> str:
    """The whole file."""
    sections = list(_sections(material, analysis, contents))
    links = "\n".join(
        f'<a href="#{name}">{escaped(title)}</a>' for name, title, _ in sections if name
    )
    body = "\n".join(
        element("section", f"\n{element('h2', escaped(title))}\n{markup}", id=name)
        for name, title, markup in sections
    )
    return (
        "<!DOCTYPE html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escaped(material.name)} on {escaped(material.target.accelerator.name)}</title>\n"
        f"<style>\n{style(contents.theme)}</style>\n</head>\n<body>\n"
        f"{_head(material, links)}\n<main>\n{parts.verdict(material)}\n"
        f"{parts.figures(material)}{body}\n</main>\n{_foot(contents)}\n</body>\n</html>\n"
    )


_Section = tuple[str, str, str]


def _sections(
    material: ScheduleMaterial, analysis: Analysis, contents: Contents
) -> Iterator[_Section]:
    """Names, titles and markup of all sections that have something to say."""
    board = contents.board or board_of(material)
    yield "facts", "What was scheduled", pairs("facts-list", _facts(material, contents))
    if contents.verification:
        yield "verification", "Verification", _lines(contents.verification)
    if contents.pictures:
        shown = "".join(picture(title, data) for title, data in contents.pictures.items())
        yield "pictures", "Pictures", shown
    yield "all-operators", "Operators", parts.operators(material, contents.measured)
    if material.cascade_numbers():
        yield "all-cascades", "Cascades", parts.cascades(material)
    if material.graph.cpu_ops:
        yield "on-the-cpu", "Operators on the CPU", parts.cpu_operators(material)
    yield "memory", "Memory", "\n".join(parts.memory(material))
    yield "why", "Why it is so", parts.decisions(material, analysis)
    if contents.measured is not None:
        markup = "\n".join(parts.measured_summary(material, contents.measured))
        yield "all-measured", "Measured", markup
    yield "board", "Sizes for the board", "\n".join(board_section(board))
    yield "snippets", "Snippets", "\n".join(snippet_section(board))


def _head(material: ScheduleMaterial, links: str) -> str:
    target = material.target
    subtitle = (
        f"{target.accelerator.name} \N{MIDDLE DOT} {target.system.name} \N{MIDDLE DOT}"
        f" {target.mode.name} \N{MIDDLE DOT} {fast_storage_text(target)}"
    )
    return (
        '<header>\n<p class="kicker">Schedule report</p>\n'
        f"{element('h1', escaped(material.name))}\n{element('p', escaped(subtitle))}\n"
        f"{element('nav', links)}\n</header>"
    )


def _facts(material: ScheduleMaterial, contents: Contents) -> Iterator[tuple[str, str]]:
    target, graph = material.target, material.graph
    yield "model", material.name
    yield "digest of the network", graph.network
    if contents.compiled is not None:
        size = counted(len(contents.compiled), "byte")
        yield "compiled file", f"{size}, digest {digest_bytes(contents.compiled)}"
    yield "accelerator", target.accelerator.name
    yield "system config", f"{target.system.name}, {hertz_text(target.system.core_clock_hz)}"
    yield "memory mode", f"{target.mode.name}, {fast_storage_text(target)}"
    if material.compiled_by is None:
        yield from option_rows(material.options)
        yield "command line", " ".join(command_line(material))
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


def _lines(lines: Sequence[str]) -> str:
    return element("ul", "\n" + "".join(element("li", escaped(line)) + "\n" for line in lines))


def _foot(contents: Contents) -> str:
    when = f", {contents.now}" if contents.now is not None else ""
    text = f"Reefpoint {VERSION}{when}. Cycles are estimates; the board has the last word."
    return element("footer", escaped(text))
