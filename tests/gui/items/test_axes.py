"""Ticks: numbers that tell neighbours apart, memory at powers of two."""

from __future__ import annotations

import itertools

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QFont, QFontMetrics, QImage, QPainter
from PySide6.QtWidgets import QApplication

from gui.document.display import ByteUnit, TimeUnit
from gui.items.axes import MemoryAxis, PowerAxis, TimeAxis, margin_px, tick_texts
from gui.items.layer_plot import LayerPlot
from gui.items.ranges import Range
from gui.theme.tones import LIGHT

pytestmark = pytest.mark.usefixtures("qtbot")


@pytest.mark.parametrize(
    ("values", "spacing", "texts"),
    [
        ([0, 5, 10], 5, ["0", "5", "10"]),
        ([0, 20_000, 40_000], 20_000, ["0", "20k", "40k"]),
        ([0, 500_000, 1_000_000], 500_000, ["0", "0.5M", "1M"]),
        ([1_000_100, 1_000_200], 100, ["1,000.1k", "1,000.2k"]),
        ([3_000_000_000], 1_000_000_000, ["3G"]),
        ([0.25, 0.5], 0.25, ["0.25", "0.5"]),
    ],
)
def test_tick_texts(values, spacing, texts):
    assert tick_texts(values, spacing) == texts


@pytest.mark.parametrize("start", [0, 123_456, 9_999_000])
@pytest.mark.parametrize("spacing", [1, 20, 5_000, 2_000_000])
def test_neighbours_never_have_the_same_text(start, spacing):
    texts = tick_texts([start + at * spacing for at in range(8)], spacing)
    assert len(set(texts)) == 8


def test_microseconds_are_written_out():
    axis = TimeAxis()
    axis.set_unit(TimeUnit.MICROSECONDS, 500e6)
    assert axis.unit_text == "µs"
    assert axis.tickStrings([2000, 2500], 1.0, 500) == ["2,000", "2,500"]
    axis.set_unit(TimeUnit.CYCLES, 500e6)
    assert axis.tickStrings([2000, 2500], 1.0, 500) == ["2k", "2.5k"]


def test_memory_has_ticks_at_powers_of_two():
    axis = MemoryAxis()
    for size in (60.0, 300.0, 1000.0):
        for top in (100, 20_160, 5_000_000):
            major = axis.tickSpacing(0.0, top, size)[0][0]
            assert major.is_integer()
            assert int(major) & (int(major) - 1) == 0
            assert top / major <= size / 36 + 1
    assert axis.tickStrings([0, 65_536], 1.0, 65_536) == ["0 B", "64 KiB"]
    axis.set_unit(ByteUnit.BYTES)
    assert axis.tickStrings([65_536], 1.0, 65_536) == ["65,536 B"]
    axis.set_unit(ByteUnit.BYTES, is_address=True)
    assert axis.tickStrings([65_536], 1.0, 65_536) == ["0x10000"]


def test_axes_at_the_side_are_equally_wide():
    assert margin_px() > 20


@pytest.fixture
def plot(qtbot):
    found = LayerPlot("memory", {"left": MemoryAxis()})
    qtbot.addWidget(found)
    found.set_theme(LIGHT)
    found.show()
    return found


@pytest.mark.parametrize("points", [9, 13, 22])
@pytest.mark.parametrize("width", [90, 240, 700, 1500])
def test_texts_along_an_axis_do_not_touch_each_other_in_any_size(monkeypatch, points, width):
    font = QFont(QApplication.font())
    font.setPointSize(points)
    monkeypatch.setattr(QApplication, "font", lambda: font)
    axis = TimeAxis()
    axis.set_theme(LIGHT)
    metrics = QFontMetrics(font)
    for end in (1_000.0, 512_000.0, 2_460_000.0, 34_000_000.0):
        (spacing, values), *_ = axis.tickValues(0.0, end, width)
        texts = axis.tickStrings(values, 1.0, spacing)
        room = spacing / end * width
        assert len(texts) == 1 or max(map(metrics.horizontalAdvance, texts)) < room


@pytest.mark.parametrize("height", [60, 83, 140, 300])
def test_texts_at_the_ends_of_an_axis_are_whole(plot, height):
    plot.resize(300, height)
    for top in range(400, 600, 7):
        texts = texts_at_side(plot, top << 10)
        assert texts
        for rect, text in texts:
            assert rect.top() >= 0, text
            assert rect.bottom() <= plot.getAxis("left").size().height(), text


def test_texts_away_from_the_ends_stand_at_their_ticks(plot):
    plot.resize(300, 300)
    middles = {text: rect.center().y() for rect, text in texts_at_side(plot, 500 << 10)}
    height = plot.getAxis("left").size().height()
    assert abs(middles["256 KiB"] - height * (1 - 256 / 500)) < 2


def texts_at_side(plot, top):
    """Texts of the axis over 0 to so many bytes, and where they stand."""
    plot.set_bounds(Range(0.0, 100.0), Range(0.0, float(top)), 16.0, float(top))
    plot.box.show(along_y=Range(0.0, float(top)))
    QCoreApplication.processEvents()
    picture = QImage(90, 300, QImage.Format.Format_ARGB32)
    painter = QPainter(picture)
    _, _, texts = plot.getAxis("left").generateDrawSpecs(painter)
    painter.end()
    return [(rect, text) for rect, _, text in texts]


@pytest.mark.parametrize("size_px", [60, 200, 900])
@pytest.mark.parametrize(("start", "end"), [(-2.3, 4.1), (0.2, 0.7), (-9.0, 9.0)])
def test_powers_of_ten_stand_where_they_are_and_have_room(start, end, size_px):
    axis = PowerAxis("bottom")
    (_, powers), (_, between) = axis.tickValues(start, end, size_px)
    assert all(start <= value <= end for value in [*powers, *between])
    assert powers == sorted(set(powers))
    texts = axis.tickStrings(powers, 1.0, 1.0)
    assert [
        float(text.replace("k", "e3").replace("M", "e6").replace("G", "e9")) for text in texts
    ] == [pytest.approx(10**power) for power in powers]
    height = QFontMetrics(QApplication.font()).height()
    apart = [size_px * (other - one) / (end - start) for one, other in itertools.pairwise(powers)]
    assert min(apart, default=height) >= height
    assert not any(axis.tickStrings(between, 1.0, 0.1))


def test_a_named_place_has_its_name_and_no_numbers_below_it():
    axis = PowerAxis("left")
    axis.set_named({-1.5: "none"})
    (_, powers), (_, between) = axis.tickValues(-3.0, 3.0, 400)
    assert min(powers) == -1.5
    assert axis.tickStrings([-1.5, 2.0], 1.0, 1.0) == ["none", "100"]
    assert min(between) > -1.5
