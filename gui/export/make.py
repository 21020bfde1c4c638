"""Makes what is exported; Qt is only needed for pictures and PDF, and comes from outside."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Protocol

from core.api import (
    advices,
    compiler,
    listings,
    measurements,
    proof,
    reports,
    schedules,
    sweeps,
    together,
)
from core.base.errors import InputError
from core.base.files import as_utf8, read_bytes
from core.base.forms import Form
from core.base.frozen import Frozen, NamedTuple, replace
from core.base.harmless import to_json
from core.base.progress import Progress
from core.ir.settings import Settings
from gui.document.answer import Answer
from gui.document.document import Document, ModelRef
from gui.document.look import Look
from gui.document.measurement import with_measured
from gui.document.wares import Pictured, Ware
from gui.export.beside import command_of
from gui.export.orders import READERS, Order, PictureRequest, Scene
from gui.jobs.desk import Desk
from gui.present.interactive.around import page
from gui.theme.tones import DARK, LIGHT, THEMES

REPORT_WIDTH, REPORT_SCALE = 1180, 2
_WAY_ON = "to export without the proof, clear 'Verify before writing'"
_NOTHING_COMPILED = "no operator runs on the NPU: the compiled model does what the original did"


class Studio(Protocol):
    """Where Qt draws."""

    def views(self, settings: Settings, answer: Answer | None) -> Mapping[str, Pictured]:
        """What there is to draw of an answer, by the names of views; None for what there may be."""

    def picture(self, scene: Scene, request: PictureRequest) -> bytes:
        """A picture of a view as a file's content."""

    def paper(self, report: reports.document.Document, made_at: str) -> bytes:
        """A report as PDF."""


class Made(NamedTuple):
    """A file's content, and what is worth knowing about it."""

    content: bytes
    notes: tuple[str, ...] = ()


class Job(Frozen, dict=True):
    """What all files of one document are made from."""

    model: ModelRef
    answer: Answer
    asked: Settings
    """What of the document is asked of this model, in what others in the device leave."""
    workbench: schedules.Workbench | None
    """Where the schedule was made; a compiled model has none."""
    studio: Studio | None
    progress: Progress

    @property
    def scheduled(self) -> schedules.Scheduled:
        return self.answer.scheduled

    @cached_property
    def advice(self) -> tuple[advices.Tip, ...]:
        """What would help, tried in a few seconds, once for reports of all forms: fronts of the
        best search answer as they stand."""
        if self.workbench is None:
            return ()
        lowering = self.asked.options.lowering
        trials = advices.Trials(self.workbench, lowering, self.progress, grows_fronts=False)
        trials.take(self.asked, self.scheduled)
        return advices.in_order(advices.advice(trials, self.asked))

    @property
    def name(self) -> str:
        """What the model is called in files: it must not depend on where it lies."""
        return self.model.name

    def scene(self, order: Order) -> Scene:
        """What views show."""
        return Scene(
            self.answer,
            order.display,
            order.selection,
            order.span,
            order.measurement,
            order.notes,
            order.swept,
            rules=order.rules,
        )

    def told(self, order: Order) -> schedules.Scheduled:
        """The schedule with what its user has to say of it."""
        return replace(self.scheduled, notes=order.notes)

    def measured(self, order: Order) -> measurements.Measured | None:
        """Measured cycles of its operators, where there are any."""
        return with_measured(self.answer, order.measurement).measured


def job_of(document: Document, desk: Desk, studio: Studio | None, progress: Progress) -> Job:
    """A document with its schedule, worked out as the app does."""
    if document.model is None:
        raise InputError("no model is open")
    solution = desk.solve(document, progress)
    scheduled = solution.scheduled
    for found in desk.prices(document, progress):
        scheduled = replace(scheduled, edits=found)
    answer = Answer(
        number=0,
        document=document,
        scheduled=scheduled,
        analysis=solution.analysis,
        seconds=0.0,
        unlimited_bytes=solution.unlimited_bytes,
        together=solution.together,
    )
    return job_as_shown(answer, desk, studio, progress)


def job_as_shown(answer: Answer, desk: Desk, studio: Studio | None, progress: Progress) -> Job:
    """An answer as it stands: nothing is searched for again."""
    document = answer.document
    if document.model is None:
        raise InputError("no model is open")
    spread = answer.spread or desk.spread(document, answer.scheduled, progress)
    return Job(
        model=document.model,
        # How long it took is another number each time, and of no use in a file.
        answer=replace(answer, number=0, seconds=0.0, spread=spread),
        asked=desk.asked(document, progress),
        workbench=desk.bench(document, progress).workbench,
        studio=studio,
        progress=progress,
    )


def make(job: Job, order: Order) -> Made:
    """The content of the file that is ordered."""
    job.progress.advance(f"making {order.ware.value.lower()}", 0, 1)
    return _MAKERS[order.ware](job, order)


def _model(job: Job, order: Order) -> Made:
    if job.workbench is None:
        raise InputError("is a compiled model already", job.name)
    compiled = compiler.compile_model(
        job.scheduled, job.progress, encodings=job.workbench.encodings
    )
    if not job.scheduled.run.graph.islands:
        return Made(compiled.data, (_NOTHING_COMPILED,))
    if not order.verifies:
        return Made(compiled.data, ("it was not verified",))
    original = read_bytes(Path(job.model.path))
    with proof.way_on(_WAY_ON):
        verification = proof.verify(compiled.data, original, progress=job.progress)
    if not verification.holds:
        told = "; ".join(verification.sentences())
        raise InputError(f"nothing was written, because verification failed: {told}", job.name)
    return Made(compiled.data, tuple(verification.sentences()))


def _schedule(job: Job, order: Order) -> Made:
    if job.workbench is None:
        raise InputError("a compiled model does not tell the schedule it was made from", job.name)
    described = listings.describe_schedule(job.name, job.told(order))
    if job.answer.together is not None:
        described["together"] = together.describe(job.answer.together)
    return Made(f"{to_json(described, indent=1)}\n".encode())


def _summary(job: Job, order: Order) -> Made:
    del order
    return Made(as_utf8(listings.render_summary_csv(job.name, job.scheduled)))


def _layers(job: Job, order: Order) -> Made:
    del order
    return Made(as_utf8(listings.render_layer_csv(job.name, job.scheduled)))


def _trace(job: Job, order: Order) -> Made:
    measured = job.measured(order)
    return Made(
        as_utf8(reports.render_trace(job.name, job.told(order), job.answer.analysis, measured))
    )


def _nodes(job: Job, order: Order) -> Made:
    if job.workbench is None:
        raise InputError("a compiled model has no source operators any more", job.name)
    described = reports.describe_nodes(job.scheduled, order.quantity)
    return Made(f"{to_json(described, indent=1)}\n".encode())


def _sweep(job: Job, order: Order) -> Made:
    del job
    if order.swept is None:
        raise InputError("no sweep is shown")
    return Made(as_utf8(sweeps.render_csv(order.swept.cells)))


def _picture(job: Job, order: Order) -> Made:
    assert job.studio is not None
    assert order.picture is not None
    return Made(job.studio.picture(job.scene(order), order.picture))


def _report(job: Job, order: Order) -> Made:
    is_readers = order.form is Form.HTML and order.theme == READERS
    contents = reports.ReportContents(
        pictures=report_pictures(job, order, LIGHT.name if is_readers else order.theme),
        dark_pictures=report_pictures(job, order, DARK.name) if is_readers else {},
        now=order.made_at or None,
        measured=job.measured(order),
        advice=job.advice,
        command=command_of(job.answer.document, order, Path(order.path)),
        together=job.answer.together,
    )
    report = reports.report_of(job.name, job.told(order), job.answer.analysis, contents)
    if order.form is not Form.PDF:
        colours = READERS if is_readers else THEMES[order.theme].drawings
        return Made(as_utf8(reports.render_html(report, reports.ReportTheme(colours))))
    assert job.studio is not None
    job.progress.advance("laying out pages", 0, 1)
    return Made(job.studio.paper(report, order.made_at))


def _page(job: Job, order: Order) -> Made:
    shown = replace(job.answer, scheduled=job.told(order))
    return Made(
        as_utf8(page(job.name, shown, job.workbench, order.rival, order.made_at, order.rules))
    )


def report_pictures(job: Job, order: Order, theme: str) -> dict[str, bytes]:
    """The pictures of a report by their titles; none where there is nothing to draw with."""
    if job.studio is None:
        return {}
    scene = Scene(
        job.answer,
        order.display,
        measurement=order.measurement,
        notes=order.notes,
        rules=order.rules,
    )
    views = job.studio.views(job.answer.document.settings, job.answer)
    shown = {name: view for name, view in views.items() if view.report_height}
    has_cascades = any(island.cascades for island in job.scheduled.schedule.islands)
    if order.form is Form.PDF and not has_cascades:
        shown = {name: view for name, view in shown.items() if not view.needs_cascades}
    # Paper is white, whatever the screen is.
    request = PictureRequest(
        view="",
        width=REPORT_WIDTH,
        height=0,
        scale=REPORT_SCALE,
        theme=LIGHT.name if order.form is Form.PDF else theme,
        form=Form.SVG if order.form is Form.HTML else Form.PNG,
    )
    return drawn(job.studio, scene, request, shown, {}, job.progress)


def drawn(
    studio: Studio,
    scene: Scene,
    request: PictureRequest,
    views: Mapping[str, Pictured],
    looks: Mapping[str, Look],
    progress: Progress,
) -> dict[str, bytes]:
    """Pictures of views by their titles, each as high as in a report, and set as its look says."""
    made = {}
    for place, (name, view) in enumerate(views.items()):
        progress.advance("drawing pictures", place, len(views))
        look = looks.get(name, {})
        asked = replace(request, view=name, height=view.report_height, look=look)
        made[view.title] = studio.picture(scene, asked)
    return made


_MAKERS: Mapping[Ware, Callable[[Job, Order], Made]] = {
    Ware.MODEL: _model,
    Ware.SCHEDULE: _schedule,
    Ware.SUMMARY: _summary,
    Ware.LAYERS: _layers,
    Ware.TRACE: _trace,
    Ware.NODES: _nodes,
    Ware.PICTURE: _picture,
    Ware.REPORT: _report,
    Ware.PAGE: _page,
    Ware.SWEEP: _sweep,
}
