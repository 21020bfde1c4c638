"""The network: operators as boxes, what they hand on as lines, cascades as hulls."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from core.ir.npugraph import NpuGraph
from gui.document.changes import Part
from gui.document.look import LookPart
from gui.document.selection import NOTHING_SELECTED, Selection
from gui.items.canvas import Canvas
from gui.items.legend import Legend
from gui.items.lines_item import NO_LINES, HullsItem, LinesItem
from gui.items.pins_item import PinsItem, pins_on
from gui.items.ranges import Range, padded
from gui.items.rects_item import Hit, RectsItem
from gui.present.edits.pins import pins_of
from gui.present.network.picks import (
    edge_lines,
    legend,
    node_tip,
    selected_edges,
    selected_nodes,
)
from gui.present.network.picture import Drawing, Hull, Metric, drawing_of, hulls, node_rects
from gui.present.operators.matches import lit_edges, lit_nodes
from gui.present.rects import empty_rects
from gui.present.runs.comparison import cycles_by_op
from gui.state.store import Store
from gui.theme.scale import Gap, arrange
from gui.widgets.drop_down import DropDown
from gui.widgets.elided_label import ElidedLabel
from gui.widgets.empty_state import no_schedule
from gui.widgets.patient_view import PatientView

_BEHIND = -10
_BESIDE = 0.7
"""What is shown beside the middle of the outermost operators: half of one, and its hull."""


class NetworkCanvas(Canvas):
    """A canvas that frames along both axes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Network", zooms_both=True, parent=parent)
        self.nodes = RectsItem("nodes", has_small_labels=True)

    def frame_selected(self) -> None:
        """Show the selected nodes with room around them."""
        self._frame_nodes(self.nodes.selected)

    def frame_selection(self) -> None:
        """Show what is selected; everything where that is shown already."""
        before = (self.box.x_range, self.box.y_range)
        self.frame_selected()
        if before == (self.box.x_range, self.box.y_range):
            self.show_all()

    def _frame_nodes(self, nodes: frozenset[int]) -> None:
        extent = self.nodes.extent_of(nodes)
        if extent is not None:
            left, right, bottom, top = extent
            self.box.show(padded(left - 1, right + 1), padded(bottom - 1, top + 1))

    def _frame_hit(self, hit: Hit) -> None:
        self._frame_nodes(frozenset({hit.key}))


class NetworkView(PatientView):
    """The graph with an overlay, selected like everything else."""

    NAME = "network"
    TITLE = "Network"
    PARTS = PatientView.PARTS | {Part.DOCUMENT, Part.COMPARISON, Part.MATCHED}

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(
            store, no_schedule("The network appears here as soon as there is one."), parent
        )
        self._graph: NpuGraph | None = None
        self._drawing: Drawing | None = None
        self._hulls: tuple[Hull, ...] = ()
        self.canvas = NetworkCanvas()
        self._boxes, self._lines = HullsItem(), LinesItem()
        self._boxes.setZValue(_BEHIND)
        self._lines.setZValue(_BEHIND + 1)
        self.canvas.addItem(self._boxes, ignoreBounds=True)
        self.canvas.addItem(self._lines, ignoreBounds=True)
        self.canvas.add_layer(self.canvas.nodes)
        self.pins = PinsItem()
        self.canvas.addItem(self.pins, ignoreBounds=True)
        self.overlay = DropDown("What colours the operators")
        for metric in Metric:
            self.overlay.addItem(metric.value, metric)
        self._legend = ElidedLabel("What the colours mean")
        self.rules = Legend()
        self.rules.setAccessibleName("Rules that colour")
        self.rules.hide()
        self._lay_out()
        self.overlay.currentIndexChanged.connect(lambda _: self._colour())
        self.canvas.picked.connect(self._picked)
        self.canvas.menu_hit.connect(self._picked)
        self.canvas.activated.connect(lambda _: self.frame_asked.emit())
        self.canvas.set_describer(self._tip)

    def _lay_out(self) -> None:
        page = QWidget()
        lines = QVBoxLayout(page)
        arrange(lines, Gap.SMALL)
        bar = QHBoxLayout()
        arrange(bar, between=Gap.MEDIUM)
        label = QLabel("Colour by")
        label.setBuddy(self.overlay)
        for widget in (label, self.overlay):
            bar.addWidget(widget)
        bar.addWidget(self._legend, 1)
        lines.addLayout(bar)
        lines.addWidget(self.canvas, 1)
        lines.addWidget(self.rules)
        look = {
            "overlay": LookPart(self.overlay.currentText, self.overlay.setCurrentText),
            "zoom": self.canvas.box.zoom_part(),
        }
        self.set_page(page, self.show_parts, look)

    def zoom_in(self) -> None:
        """Show less, larger."""
        self.canvas.zoom_in()

    def zoom_out(self) -> None:
        self.canvas.zoom_out()

    def show_all(self) -> None:
        """Show the whole network."""
        self.canvas.show_all()

    def frame_selection(self) -> None:
        """Show what is selected; everything where that is shown already."""
        self.canvas.frame_selection()

    @property
    def drawing(self) -> Drawing | None:
        """What is drawn."""
        return self._drawing

    def show_parts(self, parts: frozenset[Part]) -> None:
        """Draw the graph, colour it, and mark what is selected."""
        if Part.DISPLAY in parts:
            for item in (self.canvas, self._boxes, self._lines, self.pins, self.rules):
                item.set_theme(self._store.theme)
        if Part.ANSWER in parts:
            self._draw()
        if parts & {Part.ANSWER, Part.DISPLAY, Part.COMPARISON}:
            self._colour()
        if parts & {Part.ANSWER, Part.DOCUMENT}:
            self._pin()
        if parts & {Part.ANSWER, Part.DOCUMENT, Part.COMPARISON, Part.MATCHED}:
            self._fade()
        self._mark()

    def _fade(self) -> None:
        """Leave what is looked at as it is, in the colours of rules, and nothing else."""
        store, drawing = self._store, self._drawing
        if store.answer is not None and drawing is not None:
            compared = store.compared.of(store.answer)
            found = store.matched.of(store.document, store.answer, compared)
            self.canvas.nodes.set_lit(None if found is None else lit_nodes(drawing, found))
            self.rules.set_entries(() if found is None else found.legend, "rules")
            self.rules.setVisible(bool(self.rules.entries))
            by_tone = {} if found is None else lit_edges(drawing, found).by_tone
            edges = [(tone, edge_lines(drawing, keys)) for tone, keys in by_tone.items()]
            self._lines.set_toned(edges)

    def _pin(self) -> None:
        """Mark operators that are decided about, or whose output is."""
        drawing = self._drawing
        states = pins_of(self._store.document, self._store.answer).ops
        found = {
            place: states[node.op]
            for place, node in enumerate(drawing.nodes if drawing is not None else ())
            if node.op is not None and node.op in states
        }
        self.pins.set_pins(pins_on(self.canvas.nodes.rects, found))

    def _draw(self) -> None:
        """Lay the graph out where it is another one, and find its cascades."""
        answer = self._store.answer
        if answer is None:
            self._drawing, self._graph = None, None
            self.canvas.nodes.set_rects(empty_rects())
            self._lines.set_lines(NO_LINES)
            return
        graph = answer.scheduled.run.graph
        if self._drawing is None or graph is not self._graph:
            is_new = self._graph is None or graph != self._graph
            self._graph = graph
            if is_new:
                self._drawing = drawing_of(graph)
                self._show_drawing(self._drawing)
        if self._drawing is not None:
            self._hulls = hulls(self._drawing, answer)

    def _show_drawing(self, drawing: Drawing) -> None:
        self._lines.set_lines(edge_lines(drawing, range(len(drawing.edges))))
        left, right, bottom, top = drawing.layering.extent
        self.canvas.set_bounds(
            Range(left - _BESIDE, right + _BESIDE),
            Range(bottom - 0.5, top + 0.5),
            least_x=2.0,
            least_y=2.0,
            margin_y=0.03,
        )
        self.canvas.show_all()

    def _colour(self) -> None:
        answer, drawing = self._store.answer, self._drawing
        if answer is None or drawing is None:
            return
        metric = self.overlay.currentData()
        found = self._store.compared.of(answer)
        changes = {} if found is None else cycles_by_op(found)
        self.canvas.nodes.set_rects(node_rects(drawing, answer, metric, changes))
        text = legend(drawing, answer, metric, self._store.display)
        if metric is Metric.DIFFERENCE and found is None:
            text = "nothing is compared: Compare > Keep as A"
        self._legend.show_text(text)

    def _mark(self) -> None:
        answer, drawing = self._store.answer, self._drawing
        if answer is None or drawing is None:
            return
        selection = self._store.selection
        nodes = selected_nodes(drawing, answer, selection)
        self.canvas.nodes.set_selected(nodes)
        self._lines.set_marked(edge_lines(drawing, selected_edges(drawing, selection, nodes)))
        marked = frozenset(
            place for place, hull in enumerate(self._hulls) if hull.cascade == selection.cascade
        )
        boxes = tuple(
            QRectF(hull.left, hull.bottom, hull.right - hull.left, hull.top - hull.bottom)
            for hull in self._hulls
        )
        self._boxes.set_boxes(boxes, marked, [str(hull.number) for hull in self._hulls])
        told = [
            node_tip(answer, drawing.nodes[node], self._store.display) for node in sorted(nodes)
        ]
        self.canvas.describe_selection("\n".join(told[:8]) or "nothing is selected")

    def _picked(self, hit: Hit | None) -> None:
        if hit is None or self._drawing is None:
            self._store.select(NOTHING_SELECTED, self.NAME)
        else:
            node = self._drawing.nodes[hit.key]
            self._store.select(Selection(op=node.op, cpu_op=node.cpu_op), self.NAME)
        self._mark()

    def _tip(self, hit: Hit) -> str:
        answer, drawing = self._store.answer, self._drawing
        if answer is None or drawing is None:
            return ""
        return node_tip(answer, drawing.nodes[hit.key], self._store.display)
