"""`report` of a sweep's file: tables, plots and a ranking as a page, on paper, or in a folder."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from core.api import sweeps
from core.base.errors import OptionError
from core.base.files import as_utf8, made_folders, write_whole
from core.base.forms import Form
from core.base.outputs import FORCE, Output, demand_outputs

_FORMS = {form.suffix[1:]: form for form in (Form.HTML, Form.PDF, Form.CSV, Form.JSON)}
_BY_DEFAULT = ("html", "csv", "json")

Paper = Callable[[sweeps.Document, Path], bytes]
"""A report as PDF; an OptionError for the path where it cannot be made."""


def is_sweep(path: Path) -> bool:
    """Whether a file is a database, and so no model."""
    try:
        with path.open("rb") as stream:
            return Form.SWEEP.begins(stream.read(64))
    except OSError:
        return False


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What can be asked of the report of a sweep alone."""
    group = parser.add_argument_group("sweep", "where MODEL is the file of a sweep")
    group.add_argument(
        "--rank",
        metavar="NAMES",
        help=f"what cells are ranked by, what matters most first: {', '.join(sweeps.RANKS)};"
        f" {','.join(sweeps.USUAL_RANK)} where none is given",
    )
    group.add_argument(
        "--sram-of",
        metavar="NAMES",
        help=f"boards whose memory is drawn: {', '.join(board.name for board in sweeps.BOARDS)}",
    )


def write_report(found: argparse.Namespace, place: Path, paper: Paper) -> None:
    """Write all that is asked for, or nothing."""
    rank = sweeps.parse_rank(found.rank) if found.rank else sweeps.USUAL_RANK
    boards = sweeps.boards_named(found.sram_of) if found.sram_of else ()
    outputs = _outputs(place, found.model.stem, found.format)
    places = [each for each in outputs if each.path.parent.exists()]
    demand_outputs(places, [found.model], replaces=found.force, way_on=FORCE)
    with sweeps.SweepFile.read(found.model) as file:
        cells = tuple(file.cells())
    report = sweeps.report_of(found.model.name, cells, rank, boards)
    makers: dict[Form, Callable[[Path], bytes]] = {
        Form.HTML: lambda _: as_utf8(sweeps.render_html(report, sweeps.theme_named(found.theme))),
        Form.PDF: lambda path: paper(report, path),
        Form.CSV: lambda _: as_utf8(sweeps.render_csv(cells)),
        Form.JSON: lambda _: as_utf8(sweeps.render_json(cells)),
    }
    files = {output.path: makers[output.form](output.path) for output in outputs}
    with made_folders(sorted({path.parent for path in files})):
        write_whole(files)


def _outputs(output: Path, stem: str, formats: str) -> list[Output]:
    """One file by its ending, or several in a folder."""
    form = {".html": Form.HTML, ".pdf": Form.PDF}.get(output.suffix.lower())
    if form is not None:
        if formats:
            raise OptionError(f"{output}: is one file; --format is for folders")
        return [Output(path=output, form=form)]
    if output.exists() and not output.is_dir():
        raise OptionError(f"{output}: is no folder, and ends neither in .html nor in .pdf")
    names = [name.strip() for name in formats.lower().split(",") if name.strip()] or _BY_DEFAULT
    for name in names:
        if name not in _FORMS:
            raise OptionError.unknown("format", name, _FORMS)
    return [
        Output(path=output / f"{stem}{_FORMS[name].suffix}", form=_FORMS[name])
        for name in dict.fromkeys(names)
    ]
