"""A folder with everything that can be said of a schedule, or one report; no Qt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from core.base.errors import OptionError
from core.base.files import demand_place, write_whole
from core.base.progress import Progress
from gui.document.document import Document
from gui.document.wares import HTML, PDF, PNG, SVG, Form, Ware, file_name
from gui.export.make import Job, Studio, job_of, make
from gui.export.orders import (
    LEAST_SIDE,
    MOST_SCALE,
    MOST_SIDE,
    THEME_NAMES,
    Order,
    PictureRequest,
)
from gui.jobs.desk import Desk
from gui.theme.tones import LIGHT

FORMATS = ("html", "pdf", "csv", "json", "trace", "png", "svg")
_BY_DEFAULT = ("html", "csv", "json", "trace", "png")
_OF_COMPILED = ("html", "csv", "trace", "png")
_DRAWN = ("pdf", "png", "svg")
PICTURES = "pictures"
"""The folder of pictures inside that of the report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderRequest:
    """What is to be written, and where to."""

    document: Document
    output: Path
    """A folder; or a file whose ending says which report it is to have."""
    formats: tuple[str, ...] = ()
    """Of `FORMATS`; empty for what a folder has by default."""
    theme: str = LIGHT.name
    width: int = 1280
    height: int = 720
    scale: int = 1
    made_at: str = ""

    @property
    def report_form(self) -> Form | None:
        """The format of a report that is all there is; None where there is a folder."""
        by_suffix = {form.suffix: form for form in (HTML, PDF)}
        return by_suffix.get(self.output.suffix.lower())


def check(request: FolderRequest) -> None:
    """Refuse what cannot be done before anything is."""
    for name in request.formats:
        if name not in FORMATS:
            raise OptionError.unknown("format", name, FORMATS)
    if request.theme not in THEME_NAMES:
        raise OptionError.unknown("theme", request.theme, THEME_NAMES)
    for side in (request.width, request.height):
        if not LEAST_SIDE <= side <= MOST_SIDE:
            raise OptionError(f"{side} is no side of a picture: {LEAST_SIDE} to {MOST_SIDE}")
    if not 1 <= request.scale <= MOST_SCALE:
        raise OptionError(f"scale {request.scale}: has to be 1 to {MOST_SCALE}")
    if request.report_form is not None and request.formats:
        raise OptionError(f"{request.output}: is one file; --format is for folders")
    if request.report_form is not None:
        demand_place(request.output)
    elif request.output.exists() and not request.output.is_dir():
        raise OptionError(f"{request.output}: is no folder, and ends neither in .html nor in .pdf")


def write_folder(
    request: FolderRequest, studio: Studio | None, progress: Progress
) -> tuple[Path, ...]:
    """Write all of it or nothing; without a studio there are no pictures. The files' paths."""
    check(request)
    if studio is None and request.report_form == PDF:
        raise OptionError(f"{request.output}: PDF cannot be made here")
    job = job_of(request.document, Desk(), studio, progress)
    # What a compiled model does not tell is left out, unless somebody asks for it by its name.
    formats = request.formats or (_BY_DEFAULT if job.workbench else _OF_COMPILED)
    asked = replace(request, formats=formats)
    orders = _orders(asked, job, has_studio=studio is not None)
    files = {path: make(job, order).content for path, order in orders.items()}
    progress.advance("writing", 0, 1)
    for folder in sorted({path.parent for path in files}):
        _make_folder(folder)
    write_whole(files)
    return tuple(files)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(f"{folder}: {error.strerror or 'cannot be made'}") from error


def _orders(request: FolderRequest, job: Job, *, has_studio: bool) -> Mapping[Path, Order]:
    """What goes into which file."""
    if request.report_form is not None:
        return {request.output: _order(request, Ware.REPORT, request.report_form)}
    wanted = [name for name in request.formats if has_studio or name not in _DRAWN]
    orders: dict[Path, Order] = {}
    for name in dict.fromkeys(wanted):
        for path, order in _orders_of(request, name, job):
            orders[request.output / path] = order
    return orders


def _orders_of(request: FolderRequest, name: str, job: Job) -> Iterator[tuple[str, Order]]:
    if name in ("png", "svg"):
        form = PNG if name == "png" else SVG
        for view in job.studio.views(job.answer) if job.studio else ():
            yield f"{PICTURES}/{view}{form.suffix}", _order(request, Ware.PICTURE, form, view)
        return
    wares: dict[str, tuple[tuple[Ware, Form], ...]] = {
        "html": ((Ware.REPORT, HTML),),
        "pdf": ((Ware.REPORT, PDF),),
        "csv": ((Ware.SUMMARY, _CSV), (Ware.LAYERS, _CSV)),
        "json": ((Ware.SCHEDULE, _JSON),),
        "trace": ((Ware.TRACE, _JSON),),
    }
    for ware, form in wares[name]:
        yield file_name(job.name, ware, form), _order(request, ware, form)


_CSV, _JSON = Form("CSV", ".csv"), Form("JSON", ".json")


def _order(request: FolderRequest, ware: Ware, form: Form, view: str = "") -> Order:
    picture = None
    if view:
        picture = PictureRequest(
            view=view,
            width=request.width,
            height=request.height,
            scale=request.scale if form == PNG else 1,
            theme=request.theme,
            form=form,
        )
    return Order(
        ware=ware,
        path="",
        form=form,
        picture=picture,
        theme=request.theme,
        made_at=request.made_at,
    )
