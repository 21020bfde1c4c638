"""Pictures of views: as large as asked, the same each time, texts in SVG as texts."""

from __future__ import annotations

import base64
import gc
import re
from functools import cache
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QTabBar,
)

from core.base.forms import Form
from core.base.rough import rough_text
from core.ir.options import Engine
from gui.commands.panels import PANELS, pictured
from gui.document.display import ByteUnit, Display
from gui.document.selection import Selection
from gui.export.orders import PictureRequest, Scene
from gui.items.ranges import Range
from gui.present.operators.rules import Rules
from gui.present.timeline.text import SELECTING
from gui.theme.tones import DARK, LIGHT
from gui.views.operators.view import OperatorsView
from gui.views.timeline.view import TimelineView
from tests.gui.answers import answer_of, store_with
from tests.settings import settings_with

VIEWS = pictured(settings_with(engine=Engine.PARETO))
SVG_NAME = "{http://www.w3.org/2000/svg}"


def scene(name: str = "unet_128", view: str = "") -> Scene:
    # One engine alone finds fronts.
    engine = Engine.PARETO if view == "front" else Engine.CASCADING
    return Scene(answer_of(name, accelerator="ethos-u65-256", limit_bytes=128 << 10, engine=engine))


def request(view: str, **more) -> PictureRequest:
    return PictureRequest(**{"view": view, "width": 900, "height": 500} | more)


def pixels(png: bytes) -> np.ndarray:
    image = QImage.fromData(png).convertToFormat(QImage.Format.Format_RGB32)
    shape = (image.height(), image.width(), 4)
    return np.frombuffer(image.constBits(), np.uint8).reshape(shape).copy()


@pytest.mark.parametrize("view", VIEWS)
def test_sizes_are_in_the_unit_that_is_asked_for(studio, view):
    shown = scene(view=view)._replace(display=Display(byte_unit=ByteUnit.KB))
    found = texts(studio.picture(shown, request(view, form=Form.SVG)))
    assert "KiB" not in found
    assert "MiB" not in found


@pytest.mark.parametrize("view", ["timeline", "memory", "network"])
def test_rules_that_are_on_colour_pictures_and_are_named_there(studio, view):
    rules = Rules().switched("kind=conv2d").switched("bytes>=16K")
    shown = scene()._replace(rules=rules.kept)
    plain, coloured = (
        studio.picture(each, request(view, form=Form.SVG)) for each in (scene(), shown)
    )
    for rule in rules.on:
        assert rule.text in texts(coloured)
        assert rule.text not in texts(plain)
        assert LIGHT.inks[rule.tone].colour.encode() in coloured


def texts(svg: bytes) -> str:
    """All that can be read, in the order in which it is drawn."""
    return " ".join("".join(text.itertext()) for text in ET.fromstring(svg).iter(f"{SVG_NAME}text"))


ASKED = {"decide", "controls", "edits", "notes", "proof"}
"""What is asked for, noted or executed is no picture of an answer."""
OF_SEVERAL = {"advice", "compare", "runs", "tradeoff"}
"""Of several answers at once."""


def test_all_views_that_show_an_answer_can_be_drawn():
    assert set(VIEWS) == {panel.name for panel in PANELS} - ASKED - OF_SEVERAL


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(
    ("width", "height", "scale"),
    [
        pytest.param(900, 500, 1, marks=pytest.mark.slow),
        (700, 450, 2),
        pytest.param(333, 777, 3, marks=pytest.mark.slow),
    ],
)
def test_a_png_has_exactly_the_pixels_that_are_asked_for(studio, view, width, height, scale):
    png = studio.picture(scene(view=view), request(view, width=width, height=height, scale=scale))
    assert pixels(png).shape[:2] == (height * scale, width * scale)


@pytest.mark.long
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_a_png_shows_the_view_in_the_theme(studio, view, theme):
    found = pixels(studio.picture(scene(view=view), request(view, theme=theme.name)))[..., :3]
    assert len(np.unique(found.reshape(-1, 3), axis=0)) > 20
    # Most of it is ground, which is dark or light.
    assert bool(np.median(found) < 128) is theme.is_dark


@pytest.fixture(scope="module")
def svg_of(studio):
    """`svg_of(view)`: the view of one answer as SVG, drawn once."""
    return cache(lambda view: studio.picture(scene(view=view), request(view, form=Form.SVG)))


@pytest.mark.parametrize("view", VIEWS)
def test_an_svg_is_xml_of_the_size_with_its_texts(svg_of, view):
    svg = svg_of(view)
    root = ET.fromstring(svg)
    assert (root.get("width"), root.get("height")) == ("900", "500")
    assert root.get("viewBox") == "0 0 900 500"
    assert root.find(f"{SVG_NAME}title").text == VIEWS[view].title
    assert len(list(root.iter(f"{SVG_NAME}text"))) >= 10
    names = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(names) == len(set(names))
    used = set(re.findall(rb"url\(#([^)]+)\)", svg))
    assert used <= {name.encode() for name in names}


@pytest.mark.parametrize("view", VIEWS)
def test_an_svg_has_no_picture_of_the_view_in_it(svg_of, view):
    for image in ET.fromstring(svg_of(view)).iter(f"{SVG_NAME}image"):
        kind, _, data = image.get("{http://www.w3.org/1999/xlink}href").partition(",")
        assert kind == "data:image/png;base64"
        shown = QImage.fromData(base64.b64decode(data))
        # Ends of buttons and tiles of patterns, and nothing that could be a view.
        assert shown.width() * shown.height() < 900 * 500 / 20


@pytest.mark.parametrize(
    ("view", "said"),
    [
        ("timeline", ["limit 128 KiB", "MAC", "DMA in", "cycles"]),
        ("memory", ["SRAM: fits", "limit 128 KiB", "rolling buffer"]),
        ("cascades", ["0 conv2d · down1", "rows made before"]),
        ("operators", ["transpose conv2d", "27 operators", "{cycles} cycles"]),
        ("network", ["0 conv", "27 NPU operators"]),
        ("why", ["The whole schedule", "Cost"]),
        ("summary", ["Fits:", "{rough}", "One inference"]),
        ("front", ["Performance takes the fastest that fits", "SRAM needed", "limit 128 KiB"]),
    ],
)
def test_what_a_view_says_can_be_read_in_its_svg(svg_of, view, said):
    found = texts(svg_of(view))
    total = scene().answer.scheduled.total.total_cycles
    wanted = [text.format(cycles=f"{round(total):,}", rough=rough_text(total)) for text in said]
    assert [text for text in wanted if text not in found] == []


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("form", [Form.PNG, Form.SVG])
def test_a_picture_has_the_same_bytes_each_time(studio, view, form):
    wanted = request(view, form=form)
    assert studio.picture(scene(view=view), wanted) == studio.picture(scene(view=view), wanted)


def test_nothing_reaches_out_of_the_part_that_draws_it(studio):
    # Ninety-five rows, of which some thirty fit: the last of them is cut.
    svg = studio.picture(Scene(answer_of("mobilenet_v2")), request("operators", form=Form.SVG))
    root = ET.fromstring(svg)
    clips = {clip.get("id"): clip[0] for clip in root.iter(f"{SVG_NAME}clipPath")}
    for group in root.findall(f"{SVG_NAME}g"):
        clip = clips[group.get("clip-path")[5:-1]]
        assert float(clip.get("x")) + float(clip.get("width")) <= 900
        assert float(clip.get("y")) + float(clip.get("height")) <= 500


def test_finer_pixels_show_finer_things(studio):
    coarse = pixels(studio.picture(scene(), request("timeline")))
    fine = pixels(studio.picture(scene(), request("timeline", scale=2)))
    # Not each pixel twice, neither across nor down.
    assert (fine[:, ::2] != fine[:, 1::2]).any()
    assert (fine[::2] != fine[1::2]).any()
    assert (fine[::2, ::2] != coarse).any()


def test_what_is_selected_is_in_the_picture(studio):
    plain = studio.picture(scene(), request("operators"))
    chosen = scene()._replace(selection=Selection(op=5))
    assert studio.picture(chosen, request("operators")) != plain


def shown(qtbot, kind, answer):
    view = kind(store_with(answer))
    qtbot.addWidget(view)
    view.resize(900, 500)
    view.show()
    return view


def test_a_picture_shows_what_the_user_has_zoomed_to(studio, qtbot):
    view = shown(qtbot, TimelineView, scene().answer)
    view.stage.lanes.box.show(Range(500_000.0, 900_000.0))
    wanted = request("timeline", look=view.look())
    assert studio.picture(scene(), wanted) != studio.picture(scene(), request("timeline"))
    other = shown(qtbot, TimelineView, scene().answer)
    other.show_look(view.look())
    assert other.stage.lanes.box.x_range == pytest.approx(view.stage.lanes.box.x_range, rel=1e-3)


def test_a_picture_of_the_table_is_filtered_and_sorted_as_it_is(studio, qtbot):
    view = shown(qtbot, OperatorsView, scene().answer)
    view.filter.setText("transpose")
    svg = studio.picture(scene(), request("operators", form=Form.SVG, look=view.look()))
    assert "transpose_conv" in texts(svg)
    assert "max_pool_2d" not in texts(svg)


CONTROLS = (QAbstractButton, QAbstractSlider, QComboBox, QLineEdit, QTabBar)


@pytest.mark.parametrize("view", VIEWS)
def test_a_picture_has_nothing_for_a_hand_and_says_what_was_chosen(qtbot, view):
    make = next(panel.make for panel in PANELS if panel.name == view)
    made = shown(qtbot, make, scene(view=view).answer)
    chosen = [box.currentText() for box in made.findChildren(QComboBox) if box.isVisible()]
    if view == "operators":
        made.filter.setText("transpose")
        chosen.append("transpose")
    made.be_pictured()
    QApplication.processEvents()
    assert not [each for kind in CONTROLS for each in made.findChildren(kind) if each.isVisible()]
    said = [label.text() for label in made.findChildren(QLabel) if label.isVisible()]
    assert all(any(each in text for text in said) for each in chosen)


def test_the_timeline_as_a_picture_does_not_say_what_could_be_selected(qtbot):
    make = next(panel.make for panel in PANELS if panel.name == "timeline")
    made = shown(qtbot, make, scene(view="timeline").answer)
    line = made.stage.strip.selection
    assert line.isVisible()
    assert line.text == SELECTING
    made.be_pictured()
    assert line.isHidden()


def test_a_look_of_another_view_does_no_harm(studio):
    strange = {"zoom": None, "nothing": 1, "scroll": "far", "language": -7}
    plain = studio.picture(scene(), request("summary"))
    assert studio.picture(scene(), request("summary", look=strange)) == plain


def test_pictures_leave_nothing_behind(studio):
    def count() -> int:
        gc.collect()
        return len(QApplication.allWidgets())

    for view in VIEWS:
        studio.picture(scene("kws_dscnn", view), request(view, theme="dark"))
    before, palette = count(), QApplication.palette()
    for view in VIEWS:
        studio.picture(scene("kws_dscnn", view), request(view, theme="dark"))
    assert count() <= before
    assert QApplication.palette() == palette
