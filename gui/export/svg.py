"""A widget as SVG: shapes stay shapes, and texts stay texts.

Qt writes what one widget paints, but does not cut off what reaches out of it. So each widget is
written by itself, and put into a group that is clipped to what can be seen of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from PySide6.QtCore import QBuffer, QIODevice, QPoint, QRect
from PySide6.QtGui import QPainter, QRegion
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

from core.base.harmless import terminal_text, visible

_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_DOTS_AN_INCH = 96
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
# Metrics of these are the same, or nearly so: texts keep their places where ours is not installed.
_FAMILIES = {
    "DejaVu Sans": "DejaVu Sans, Verdana, sans-serif",
    "DejaVu Sans Mono": "DejaVu Sans Mono, Menlo, Consolas, monospace",
}
_DRAWS = {"path", "rect", "polyline", "polygon", "circle", "ellipse", "line", "text", "image"}

ET.register_namespace("", _SVG)
ET.register_namespace("xlink", _XLINK)


def svg_of(widget: QWidget, title: str, ground: str) -> bytes:
    """A shown widget with all that is in it, on a ground of this colour."""
    width, height = widget.width(), widget.height()
    root = ET.Element(
        _tag("svg"),
        {
            "width": str(width),
            "height": str(height),
            "viewBox": f"0 0 {width} {height}",
            "version": "1.1",
        },
    )
    ET.SubElement(root, _tag("title")).text = visible(title)
    defs = ET.SubElement(root, _tag("defs"))
    _rect(root, QRect(0, 0, width, height)).set("fill", ground)
    for number, (part, seen) in enumerate(_parts(widget)):
        drawn = _drawn(part, is_ground=part is widget)
        _rename(drawn, f"p{number}-")
        shapes = [child for child in drawn if _keep(child)]
        if not shapes:
            continue
        place = part.mapTo(widget, QPoint(0, 0))
        clip = ET.SubElement(defs, _tag("clipPath"), {"id": f"p{number}"})
        _rect(clip, seen)
        group = ET.SubElement(root, _tag("g"), {"clip-path": f"url(#p{number})"})
        moved = ET.SubElement(
            group, _tag("g"), {"transform": f"translate({place.x()},{place.y()})"}
        )
        moved.extend(shapes)
    text: bytes = ET.tostring(root, "utf-8")
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + text + b"\n"


def _tag(name: str) -> str:
    return f"{{{_SVG}}}{name}"


def _rect(parent: ET.Element, rect: QRect) -> ET.Element:
    sides = {"x": rect.x(), "y": rect.y(), "width": rect.width(), "height": rect.height()}
    return ET.SubElement(parent, _tag("rect"), {name: str(value) for name, value in sides.items()})


def _parts(widget: QWidget) -> Iterator[tuple[QWidget, QRect]]:
    """A widget and those in it, as they lie above each other, with what of each can be seen."""

    def walk(part: QWidget, cut: QRect) -> Iterator[tuple[QWidget, QRect]]:
        seen = QRect(part.mapTo(widget, QPoint(0, 0)), part.size()).intersected(cut)
        if seen.isEmpty():
            return
        yield part, seen
        for child in part.children():
            if isinstance(child, QWidget) and child.isVisible() and not child.isWindow():
                yield from walk(child, seen)

    yield from walk(widget, widget.rect())


def _drawn(widget: QWidget, *, is_ground: bool) -> ET.Element:
    """What a widget itself paints."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    # With SVG 1.1 it writes clips too, but forgets to take them back (seen with Qt 6.10).
    generator = QSvgGenerator(QSvgGenerator.SvgVersion.SvgTiny12)
    generator.setOutputDevice(buffer)
    generator.setResolution(_DOTS_AN_INCH)
    generator.setSize(widget.size())
    generator.setViewBox(widget.rect())
    painter = QPainter(generator)
    flags = QWidget.RenderFlag.DrawWindowBackground if is_ground else QWidget.RenderFlag(0)
    # A graphics view has another `render`, which draws its scene alone.
    QWidget.render(widget, painter, QPoint(0, 0), QRegion(), flags)
    painter.end()
    return ET.fromstring(_harmless(bytes(buffer.data().data())))


def _harmless(drawn: bytes) -> str:
    """Markup in which each sign is one that XML has: Qt writes those of texts as they are."""
    lines = drawn.decode("utf-8", "backslashreplace").split("\t")
    return "\t".join(map(terminal_text, lines))


def _rename(drawn: ET.Element, prefix: str) -> None:
    """Give everything a name that no other widget's drawing has."""
    for element in drawn.iter():
        for key, value in element.items():
            if key == "id":
                element.set(key, prefix + value)
            elif key == f"{{{_XLINK}}}href" and value.startswith("#"):
                element.set(key, f"#{prefix}{value[1:]}")
            elif "url(#" in value:
                element.set(key, _REFERENCE.sub(rf"url(#{prefix}\1)", value))
        family = element.get("font-family")
        if family is not None:
            element.set("font-family", _FAMILIES.get(family, family))
        if element.get("vector-effect") == "none":
            del element.attrib["vector-effect"]


def _keep(element: ET.Element) -> bool:
    """Whether there is something to see in an element; what is empty in it is taken out."""
    name = element.tag.removeprefix(f"{{{_SVG}}}")
    if name in _DRAWS:
        return True
    if name == "defs":
        return len(element) > 0
    if name != "g":
        return False
    for child in list(element):
        if not _keep(child):
            element.remove(child)
    return len(element) > 0
