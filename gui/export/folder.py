"""A folder with everything that can be said of a schedule, or one report; no Qt."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from core.api import edits, schedules
from core.api.reports import Quantity
from core.base.errors import OptionError
from core.base.files import as_utf8, demand_folder, made_folders, write_whole
from core.base.forms import Form
from core.base.frozen import Frozen, replace
from core.base.outputs import FORCE, Output, demand_outputs
from core.base.progress import Progress
from core.ir.notes import Note
from gui.document.answer import Answer
from gui.document.document import Document
from gui.document.inputs import inputs_of
from gui.document.wares import Ware, file_name
from gui.export.beside import files_beside, outputs_beside
from gui.export.make import Studio, job_of, make
from gui.export.orders import (
    LEAST_SIDE,
    MOST_SCALE,
    MOST_SIDE,
    READERS,
    THEME_NAMES,
    Order,
    PictureRequest,
)
from gui.jobs.desk import Desk
from gui.present.interactive.page import Rival
from gui.theme.tones import LIGHT

FORMATS = ("html", "interactive", "pdf", "csv", "json", "trace", "nodes", "png", "svg")
_BY_DEFAULT = ("html", "csv", "json", "trace", "nodes", "png")
_OF_COMPILED = ("html", "csv", "trace", "png")
_DRAWN = ("pdf", "png", "svg")
PICTURES = "pictures"
"""The folder of pictures inside that of the report."""
NODES = "model-explorer"
"""The folder of node data in it."""


class FolderRequest(Frozen):
    """What is to be written, and where to."""

    document: Document
    output: Path
    """A folder; or a file whose ending says which report it is to have."""
    formats: tuple[str, ...] = ()
    """Of `FORMATS`; empty for what a folder has by default."""
    is_interactive: bool = False
    """Whether a file is a page to explore, and not a report."""
    rival: Rival | None = None
    """What schedules of such a page are compared with."""
    theme: str = READERS
    width: int = 1280
    height: int = 720
    scale: int = 1
    made_at: str = ""
    decisions: Output | None = None
    """Where all decisions of the schedule are written to, if anywhere."""
    notes: tuple[Note, ...] = ()
    more_inputs: tuple[Path, ...] = ()
    """What was read beside what the document names."""
    keeps_fronts: bool = True
    """Those of the best search are taken from the user's cache, and put there."""
    replaces: bool = False
    """Whether files of another kind that are there may go."""

    @property
    def report_form(self) -> Form | None:
        """The format of a report that is all there is; None where there is a folder."""
        by_suffix = {form.suffix: form for form in (Form.HTML, Form.PDF)}
        return by_suffix.get(self.output.suffix.lower())


def check(request: FolderRequest) -> None:
    """Refuse what cannot be done before anything is."""
    for name in request.formats:
        if name not in FORMATS:
            raise OptionError.unknown("format", name, FORMATS)
    if request.theme not in (READERS, *THEME_NAMES):
        raise OptionError.unknown("theme", request.theme, (READERS, *THEME_NAMES))
    for side in (request.width, request.height):
        if not LEAST_SIDE <= side <= MOST_SIDE:
            raise OptionError(f"{side} is no side of a picture: {LEAST_SIDE} to {MOST_SIDE}")
    if not 1 <= request.scale <= MOST_SCALE:
        raise OptionError(f"scale {request.scale}: has to be 1 to {MOST_SCALE}")
    if request.is_interactive and request.report_form is Form.PDF:
        raise OptionError(f"{request.output}: what is interactive is .html")
    if request.report_form is not None and request.formats:
        raise OptionError(f"{request.output}: is one file; --format is for folders")
    if request.report_form is None and request.output.exists() and not request.output.is_dir():
        raise OptionError(f"{request.output}: is no folder, and ends neither in .html nor in .pdf")


def write_folder(
    request: FolderRequest, studio: Studio | None, progress: Progress
) -> tuple[Path, ...]:
    """Write all of it or nothing; without a studio there are no pictures. The files' paths."""
    check(request)
    if studio is None and request.report_form is Form.PDF:
        raise OptionError(f"{request.output}: PDF cannot be made here")
    _demand_places(request, _orders(request, studio))
    kept = schedules.kept_by_default(os.environ) if request.keeps_fronts else None
    job = job_of(request.document, Desk(kept), studio, progress)
    # What a compiled model does not tell is left out, unless somebody asks for it by its name.
    formats = request.formats or (_BY_DEFAULT if job.workbench else _OF_COMPILED)
    orders = _orders(replace(request, formats=formats), studio, job.answer)
    files = {path: make(job, order).content for path, order in orders.items()}
    for path, order in orders.items():
        files |= files_beside(request.document, order, path)
    if request.decisions is not None:
        text = edits.decisions(job.scheduled, job.model.digest)
        files[request.decisions.path] = as_utf8(text)
    progress.advance("writing", 0, 1)
    with made_folders(sorted({path.parent for path in files})):
        write_whole(files)
    return tuple(files)


def demand_places(request: FolderRequest) -> None:
    """Refuse, before any work is done, what would go over a file; pictures are looked at later."""
    check(request)
    _demand_places(request, _orders(request, None))


def _demand_places(request: FolderRequest, orders: Mapping[Path, Order]) -> None:
    outputs = [Output(path=path, form=order.form) for path, order in orders.items()]
    beside = (outputs_beside(request.document, order, path) for path, order in orders.items())
    # A report of each form names the same files.
    outputs += dict.fromkeys(output for each in beside for output in each)
    if request.report_form is None:
        for folder in {path.parent for path in orders}:
            demand_folder(folder)
        # In a folder that is still to be made there is nothing to lose.
        outputs = [output for output in outputs if output.path.parent.exists()]
    outputs += [request.decisions] if request.decisions is not None else []
    inputs = (*inputs_of(request.document), *request.more_inputs)
    demand_outputs(outputs, inputs, replaces=request.replaces, way_on=FORCE)


def _orders(
    request: FolderRequest, studio: Studio | None, answer: Answer | None = None
) -> Mapping[Path, Order]:
    """What goes into which file; without an answer, what may."""
    if request.report_form is not None:
        ware = Ware.PAGE if request.is_interactive else Ware.REPORT
        order = _order(request, ware, request.report_form)
        return {request.output: replace(order, path=str(request.output))}
    settings = request.document.settings
    views = studio.views(settings, answer) if studio is not None else ()
    wanted = request.formats or _BY_DEFAULT
    wanted += ("interactive",) * request.is_interactive
    return {
        request.output / path: replace(order, path=str(request.output / path))
        for name in dict.fromkeys(wanted)
        if studio is not None or name not in _DRAWN
        for path, order in _orders_of(request, name, views)
    }


def _orders_of(
    request: FolderRequest, name: str, views: Iterable[str]
) -> Iterator[tuple[str, Order]]:
    if name in ("png", "svg"):
        form = Form.PNG if name == "png" else Form.SVG
        for view in views:
            yield f"{PICTURES}/{view}{form.suffix}", _order(request, Ware.PICTURE, form, view)
        return
    model = request.document.model
    stem = model.name if model else ""
    if name == "nodes":
        for quantity in Quantity:
            path = f"{NODES}/{file_name(stem, Ware.NODES, Form.JSON, quantity.value)}"
            yield path, replace(_order(request, Ware.NODES, Form.JSON), quantity=quantity)
        return
    wares: dict[str, tuple[tuple[Ware, Form], ...]] = {
        "html": ((Ware.REPORT, Form.HTML),),
        "interactive": ((Ware.PAGE, Form.HTML),),
        "pdf": ((Ware.REPORT, Form.PDF),),
        "csv": ((Ware.SUMMARY, Form.CSV), (Ware.LAYERS, Form.CSV)),
        "json": ((Ware.SCHEDULE, Form.JSON),),
        "trace": ((Ware.TRACE, Form.JSON),),
    }
    for ware, form in wares[name]:
        yield file_name(stem, ware, form), _order(request, ware, form)


def _order(request: FolderRequest, ware: Ware, form: Form, view: str = "") -> Order:
    picture = None
    if view:
        picture = PictureRequest(
            view=view,
            width=request.width,
            height=request.height,
            scale=request.scale if form is Form.PNG else 1,
            theme=LIGHT.name if request.theme == READERS else request.theme,
            form=form,
        )
    return Order(
        ware=ware,
        path="",
        form=form,
        picture=picture,
        theme=request.theme,
        made_at=request.made_at,
        notes=request.notes,
        rival=request.rival,
    )
