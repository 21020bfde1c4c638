"""The cascades view plays the steps of the analysis: every one of them, with its fill."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QLabel, QWidget

from core.ir.options import Strategy
from gui.document.display import ByteUnit, Display
from gui.document.selection import BufferRef, Selection
from gui.present.cascades.play import STAGE_HEADERS, rows_text
from gui.state.store import Store
from gui.theme.tones import DARK, LIGHT, Tone
from gui.views.cascades.view import CascadesView
from tests.gui.answers import arrive
from tests.gui.exposed import exposed

UNET = ("unet_128", {"accelerator": "ethos-u65-256", "limit_bytes": 100_000})
MOBILENET = ("mobilenet_v2_035_96", {"strategy": Strategy.SIZE})
NONE = ("kws_dscnn", {})


@pytest.fixture
def show(qtbot, answer_of, store_with):
    """`show(example, settings)`: a store and the view of it."""

    def make(name: str, settings: dict, size=(1280, 800)) -> tuple[Store, CascadesView]:
        store = store_with(answer_of(name, **settings))
        return store, exposed(qtbot, CascadesView(store), *size)

    return make


def steps_of(view):
    return view.cascade.steps


@pytest.mark.parametrize("question", [UNET, MOBILENET], ids=str)
def test_the_slider_goes_over_all_steps_with_the_fill_of_the_analysis(show, question):
    store, view = show(*question)
    shown = view.stage_view
    assert shown.combo.count() == len(store.answer.analysis.cascades)
    for number in range(shown.combo.count()):
        shown.combo.activated.emit(number)
        steps = steps_of(view)
        assert shown.player.slider.maximum() == len(steps.steps) - 1
        for position, (step, fills) in enumerate(zip(steps.steps, steps.fills, strict=True)):
            shown.player.slider.setValue(position)
            frame = shown.frame
            assert frame.step == step
            stages = view.cascade.stages
            drawn = [(stages[ring.stage].buffer.fm, *ring.held) for ring in frame.rings]
            assert drawn == [tuple(fill) for fill in fills]
            assert shown.step.text.startswith(f"Step {position + 1:,} of {len(steps.steps):,}: ")
            held = [
                shown.model.index(row, STAGE_HEADERS.index("holds")).data()
                for row in range(len(stages))
            ]
            told = [rows_text(ring.held) for ring in frame.rings]
            assert [text for text in held if text] == told


def test_rows_and_rings_are_painted(show):
    _, view = show(*MOBILENET)
    picture = view.stage_view.picture
    view.stage_view.player.seek(60)
    frame = view.stage_view.frame
    image = picture.grab().toImage()
    geometry = picture.geometry_now()
    for place, (stage, state) in enumerate(zip(view.cascade.stages, frame.stages, strict=True)):
        strip = geometry.strip(place)
        made = strip.left() + strip.width() * state.made / stage.rows
        y = round(strip.center().y())
        if state.made < stage.rows:
            assert image.pixelColor(round(made) + 4, y).name() == LIGHT.alternate
        if state.is_running:
            rows = geometry.rows(place, state.makes, stage.rows)
            assert image.pixelColor(rows.center().toPoint()).name() == compute()
    for ring in frame.rings:
        square = geometry.ring(ring.stage)
        colours = {
            image.pixelColor(x, y).name()
            for x in range(round(square.left()), round(square.right()))
            for y in range(round(square.top()), round(square.bottom()))
        }
        has_older = ring.held.number > ring.written.number
        assert (LIGHT.inks[Tone.ROLLING].colour in colours) == has_older
        assert (compute() in colours) == bool(ring.written.number)


def compute() -> str:
    return LIGHT.inks[Tone.COMPUTE].colour


def test_all_steps_are_seen_at_once(show, qtbot):
    _, view = show(*MOBILENET)
    strip = view.stage_view.strip
    steps = steps_of(view).steps
    image = strip.grab().toImage()
    rows = len(view.cascade.stages)
    view.stage_view.player.first()
    for position in range(0, len(steps), 7):
        place = next(
            number
            for number, stage in enumerate(view.cascade.stages)
            if stage.op == steps[position].op
        )
        x = int((position + 0.3) * strip.width() / len(steps))
        y = int((place + 0.5) * strip.height() / rows)
        around = {image.pixelColor(x + shift, y).name() for shift in (-1, 0, 1)}
        assert compute() in around
    middle = QPoint(strip.width() // 2, 4)
    qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=middle)
    assert abs(view.stage_view.player.position - len(steps) // 2) <= 1


def test_keys_and_commands_go_through_the_steps(show, qtbot):
    _, view = show(*MOBILENET)
    player, picture = view.stage_view.player, view.stage_view.picture
    end = player.slider.maximum()
    picture.setFocus()
    for key, position in (
        (Qt.Key.Key_Home, 0),
        (Qt.Key.Key_Left, 0),
        (Qt.Key.Key_Right, 1),
        (Qt.Key.Key_Right, 2),
        (Qt.Key.Key_Left, 1),
        (Qt.Key.Key_End, end),
        (Qt.Key.Key_Right, end),
    ):
        qtbot.keyClick(picture, key)
        assert player.position == position
    view.first()
    view.step_forward()
    view.step_forward()
    view.step_back()
    assert player.position == 1
    view.last()
    assert player.position == end


def test_it_plays_by_itself_to_the_end(show, qtbot):
    _, view = show(*UNET)
    player = view.stage_view.player
    view.last()
    view.step_back()
    view.step_back()
    qtbot.keyClick(view.stage_view.picture, Qt.Key.Key_Space)
    assert player.is_playing
    qtbot.waitUntil(lambda: not player.is_playing, timeout=5000)
    assert player.position == player.slider.maximum()
    view.play_or_pause()
    assert player.is_playing
    assert player.position == 0
    view.play_or_pause()
    assert not player.is_playing


@pytest.mark.parametrize("question", [UNET, MOBILENET], ids=str)
def test_other_views_are_told_when_the_step_that_is_played_runs(show, question):
    store, view = show(*question)
    assert store.played.span is None
    view.first()
    trace, ends = store.answer.analysis.trace, []
    for step in steps_of(view).steps:
        moment = store.played.span
        runs = (trace.op == step.op) & (trace.start_cycle < moment.end_cycle)
        runs &= trace.end_cycle > moment.start_cycle
        assert step.stripe in trace.stripe[runs]
        ends.append(moment.end_cycle)
        view.step_forward()
    assert ends == sorted(ends)
    arrive(store, store.answer)
    assert store.played.span is None


def test_a_selection_from_elsewhere_turns_to_its_cascade(show):
    store, view = show(*UNET)
    for cascade in store.answer.analysis.cascades:
        ops = store.answer.scheduled.schedule.islands[0].cascades[cascade.cascade].ops
        for op in ops:
            store.select(Selection(op=op))
            assert view.cascade.ref.cascade == cascade.cascade
            assert view.stage_view.combo.currentIndex() == view.cascade.number - 1
            assert not view.stage_view.note.isVisible()
    store.select(Selection(buffer=BufferRef(view.cascade.stages[0].op, 0)))
    assert view.cascade.stages[0].op == store.selection.buffer.op


def test_an_operator_outside_is_told_why(show):
    store, view = show(*UNET)
    outside = next(plan.op for plan in store.answer.scheduled.schedule.ops if plan.cascade is None)
    before = view.cascade
    store.select(Selection(op=outside))
    assert view.cascade is before
    note = view.stage_view.note
    assert note.isVisible()
    assert note.text().startswith(store.answer.scheduled.run.graph.titles.op(outside))


def test_clicks_select_and_tell_once(show, qtbot):
    store, view = show(*UNET)
    told = []
    store.changed.connect(told.append)
    picture = view.stage_view.picture
    geometry = picture.geometry_now()
    stages = view.cascade.stages
    for place, stage in enumerate(stages):
        told.clear()
        at = geometry.label(place).center().toPoint()
        qtbot.mouseClick(picture, Qt.MouseButton.LeftButton, pos=at)
        assert store.selection == Selection(op=stage.op)
        assert len(told) == 1
        if stage.buffer is not None:
            at = geometry.ring(place).center().toPoint()
            qtbot.mouseClick(picture, Qt.MouseButton.LeftButton, pos=at)
            assert store.selection == Selection(fm=stage.buffer.fm)
            assert len(told) == 2
    view.stage_view.combo.activated.emit(1)
    assert store.selection == Selection(cascade=view.cascade.ref)


def test_tips_tell_what_is_under_the_pointer(show):
    _, view = show(*UNET)
    picture, frame = view.stage_view.picture, view.stage_view.frame
    geometry = picture.geometry_now()
    for ring in frame.rings:
        text = picture.tip_at(geometry.ring(ring.stage).center())
        assert f"holds {ring.held.number} of {ring.height} row" in text
    assert picture.tip_at(geometry.label(0).center()).startswith(view.cascade.stages[0].title)
    assert picture.tip_at(QPointF(1, 1)) == ""


def test_where_nothing_is_cascaded_a_sentence_says_why(show):
    store, view = show(*NONE)
    assert view.cascade is None
    assert view.reason.isVisible()
    assert "20,160 bytes" in view.reason.text()
    for act in (view.first, view.last, view.step_back, view.step_forward):
        act()
    store.select(Selection(op=0))


def test_answers_come_and_go(show, answer_of):
    store, view = show(*UNET)
    view.last()
    position = view.stage_view.player.position
    arrive(store, answer_of(*UNET[:1], **{**UNET[1], "limit_bytes": 100_016}))
    assert view.stage_view.player.position == position
    arrive(store, answer_of(*NONE[:1]))
    assert view.cascade is None
    arrive(store, answer_of(*MOBILENET[:1], **MOBILENET[1]))
    assert view.cascade is not None
    store.resume(store.history)
    assert view.cascade is None
    assert not view.stage_view.isVisible()
    assert "no schedule" in " ".join(
        label.text() for label in view.findChildren(QLabel) if label.isVisible()
    )


def test_the_table_stands_in_for_the_picture(show):
    store, view = show(*MOBILENET)
    view.stage_view.as_table.click()
    assert view.stage_view.table.isVisible()
    assert not view.stage_view.picture.isVisible()
    model = view.stage_view.model
    assert model.rowCount() == len(view.cascade.stages)
    sizes = [model.index(row, len(STAGE_HEADERS) - 1).data() for row in range(model.rowCount())]
    store.set_display(Display(byte_unit=ByteUnit.BYTES))
    exact = [model.index(row, len(STAGE_HEADERS) - 1).data() for row in range(model.rowCount())]
    total = sum(int(text.split()[0].replace(",", "")) for text in exact if text)
    assert total == view.cascade.buffer_bytes
    assert sizes != exact


def test_what_has_the_focus_has_a_name_and_the_picture_a_description(show):
    store, view = show(*MOBILENET)
    store.set_theme(DARK)
    for widget in view.findChildren(QWidget):
        if widget.focusPolicy() != Qt.FocusPolicy.NoFocus and widget.isVisible():
            named = widget.accessibleName() or getattr(widget, "text", str)()
            assert named or widget.parent().inherits("QComboBox"), widget
    assert view.stage_view.picture.accessibleDescription().startswith("Step ")


@pytest.mark.parametrize("size", [(300, 200), (640, 360), (1280, 800), (2560, 1440)])
def test_all_sizes_can_be_drawn(show, size):
    _, view = show(*MOBILENET, size=size)
    view.grab()
    geometry = view.stage_view.picture.geometry_now()
    for place, stage in enumerate(view.cascade.stages):
        assert geometry.label(place).right() < geometry.strip(place).left()
        if stage.buffer is not None:
            assert geometry.strip(place).right() < geometry.ring(place).left()
            assert geometry.ring(place).right() <= view.stage_view.picture.width()
