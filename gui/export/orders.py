"""What can be exported, and how: values that are sent to the process that makes it; no Qt."""

from __future__ import annotations

from pathlib import Path

from core.api.comparisons import Comparison
from core.api.reports import Quantity
from core.base.forms import Form
from core.base.frozen import Frozen, NamedTuple, field
from core.base.outputs import Output
from core.ir.notes import Note
from gui.document.answer import Answer
from gui.document.display import Display, Span
from gui.document.document import Document
from gui.document.inputs import inputs_of
from gui.document.kept import Kept
from gui.document.look import Look
from gui.document.measurement import Measurement
from gui.document.selection import NOTHING_SELECTED, Selection
from gui.document.swept import SweptCells
from gui.document.wares import Ware
from gui.present.interactive.page import Rival
from gui.present.operators.rules import KeptRules
from gui.theme.tones import LIGHT, THEMES

THEME_NAMES = tuple(THEMES)
READERS = "auto"
"""Of a report: light and dark both, of which a reader's system shows its own."""
LEAST_SIDE, MOST_SIDE, MOST_SCALE = 200, 8192, 4


class Against(NamedTuple):
    """A, and how what is shown differs from it."""

    kept: Kept
    found: Comparison
    before: Answer | None
    """All of A; a schedule as JSON has no times to draw."""


class Scene(NamedTuple):
    """What a view shows."""

    answer: Answer
    display: Display = Display()
    selection: Selection = NOTHING_SELECTED
    span: Span | None = None
    measurement: Measurement | None = None
    notes: tuple[Note, ...] = ()
    swept: SweptCells | None = None
    against: Against | None = None
    rules: KeptRules = ()


class PictureRequest(Frozen):
    """A view, and how it is to be drawn."""

    view: str
    width: int
    height: int
    scale: int = 1
    """Pixels of a PNG for each one of the size: texts are as many times finer."""
    theme: str = LIGHT.name
    form: Form = Form.PNG
    look: Look = field(default_factory=dict)


class Order(Frozen):
    """A file to be written, and what is to be in it."""

    ware: Ware
    path: str
    form: Form
    verifies: bool = True
    """Of a compiled model: nothing is written where it does not compute what the original does."""
    picture: PictureRequest | None = None
    quantity: Quantity = Quantity.CYCLES
    """Of node data."""
    theme: str = READERS
    """Of a report and its pictures."""
    made_at: str = ""
    """What a report says of when it was made."""
    display: Display = field(default_factory=Display)
    selection: Selection = NOTHING_SELECTED
    span: Span | None = None
    measurement: Measurement | None = None
    """Measured cycles that stand beside the estimates."""
    notes: tuple[Note, ...] = ()
    swept: SweptCells | None = None
    """The sweep that is shown, where something is made of it."""
    rival: Rival | None = None
    """What the schedules of an interactive page are compared with."""
    rules: KeptRules = ()
    """That colour what pictures show."""
    replaces: bool = False
    """Whether a file of another kind that is there may go."""

    @property
    def output(self) -> Output:
        """The file that is written."""
        return Output(path=Path(self.path), form=self.form)

    def inputs(self, document: Document) -> tuple[Path, ...]:
        """The files that it is made from, which must not be written over."""
        return inputs_of(document, self.measurement)
