"""How a view is set is a value by names; another of its kind takes it, nonsense does no harm."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.ir.options import Engine
from gui.commands.panels import PANELS
from gui.document.selection import Selection
from gui.present.memory.map import TimeScale
from gui.present.network.picture import Metric
from gui.present.timeline.rows import Fold
from gui.present.timeline.tracks import Track, Tracks
from gui.widgets.patient_view import PatientView
from tests.gui.answers import answer_of, store_with

KINDS = [panel.make for panel in PANELS if panel.is_pictured]
OF_KIND = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.NAME)
MODEL = {"accelerator": "ethos-u65-256", "limit_bytes": 128 << 10}


def answer(kind):
    engine = Engine.PARETO if kind.NAME == "front" else Engine.CASCADING
    return answer_of("unet_128", engine=engine, **MODEL)


@pytest.fixture
def show(qtbot):
    """`show(kind)`: a view of it in sight."""

    def make(kind) -> PatientView:
        view = kind(store_with(answer(kind)))
        qtbot.addWidget(view)
        view.resize(1100, 500)
        view.show()
        return view

    return make


def zoom(canvas):
    box = canvas.box
    middle = (box.x_range.start + box.x_range.end) / 2
    box.show(box.x_range._replace(end=middle), box.y_range)


def set_timeline(view):
    view.stage.fold_all(Fold.BAR)
    view.stage.arrange(Tracks(hidden=frozenset({Track.DMA_IN})))
    zoom(view.stage.lanes)


def set_memory(view):
    view.next_region()
    view.header.scales[TimeScale.STEPS].click()
    view.header.addresses.click()
    view.side.setCurrentIndex(1)
    zoom(view.pane.canvas)


def set_operators(view):
    view.filter.setText("cycles > 10")
    view.rules.use_kept(["share>1%"])
    view.rules.switched.emit("share>1%")
    view.rules.switched.emit("is=cascaded")
    view.table.show_column("block", is_shown=False)
    view.table.sort_by(view.table.shown_columns()[3], is_descending=True)
    view.table.setColumnWidth(2, 321)


def set_network(view):
    view.overlay.setCurrentIndex(len(Metric) - 1)
    zoom(view.canvas)


def set_cascades(view):
    view.last()
    view.stage_view.as_table.click()


def set_summary(view):
    view.sizes.tabs.setCurrentIndex(1)
    view.show_look({"scroll": 40})


def set_why(view):
    view.resize(300, 60)
    view.show_look({"scroll": 30})


def set_front(view):
    zoom(view.canvas)


def set_roofline(view):
    view.choose("SRAM")
    zoom(view.canvas)


def set_compare(view):
    view.tabs.setCurrentWidget(view.tables["Figures"])


def set_tradeoff(view):
    view.figure.setCurrentIndex(1)


SETTERS = {name.removeprefix("set_"): found for name, found in globals().items() if "set_" in name}


@OF_KIND
def test_a_view_takes_the_look_of_another(show, kind):
    view, other = show(kind), show(kind)
    before = view.look()
    SETTERS.get(kind.NAME, id)(view)
    other.resize(view.size())
    look = view.look()
    changed = {name for name in look if look[name] != before[name]}
    assert bool(changed) == bool(look)
    # As a file keeps it.
    other.show_look(json.loads(json.dumps(look)))
    again = other.look()
    for name in look:
        close = pytest.approx(look[name], rel=1e-3) if name == "zoom" else look[name]
        assert again[name] == close, name


def test_a_look_selects_nothing(show):
    view, other = show(KINDS[0]), show(KINDS[0])
    other._store.select(Selection(op=2))
    other.show_look(view.look())
    assert other._store.selection == Selection(op=2)


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**31), 2**31 - 1)
    | st.floats()
    | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@pytest.mark.long
@OF_KIND
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_nonsense_is_passed_over(show, kind, data):
    view = show(kind)
    names = sorted({*view.look(), "unheard of"})
    view.show_look(data.draw(st.dictionaries(st.sampled_from(names), PLAIN)))
    assert view.look().keys() == set(names) - {"unheard of"}
