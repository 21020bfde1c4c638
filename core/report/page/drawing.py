"""An SVG file as a part of a page, where its texts can be found and read at any size."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

_NAMESPACE = re.compile(r"\{[^}]*\}")
_LINK = "{http://www.w3.org/1999/xlink}href"
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_ACTIVE = frozenset({"script", "foreignObject", "style", "a"})


def markup_of(content: bytes, prefix: str) -> str:
    """The drawing alone, whose names begin with a prefix; nothing in it acts or leads outside."""
    root = ET.fromstring(content)
    for parent in list(root.iter()):
        parent.tag = _NAMESPACE.sub("", parent.tag)
        for child in list(parent):
            # A title would be shown wherever the pointer rests.
            if _NAMESPACE.sub("", child.tag) in {*_ACTIVE, "title"}:
                parent.remove(child)
        parent.attrib = {
            name: value
            for name, value in (_attribute(*each, prefix) for each in parent.items())
            if name
        }
    return ET.tostring(root, "unicode").replace("://", ":&#47;&#47;")


def _attribute(name: str, value: str, prefix: str) -> tuple[str, str]:
    """An attribute as pages have it; without a name where it has no place there."""
    if name in (_LINK, "href"):
        if value.startswith("#"):
            return "href", f"#{prefix}{value[1:]}"
        return ("href", value) if value.startswith("data:image/") else ("", "")
    if name == "id":
        return name, prefix + value
    if name == _SPACE:
        return "xml:space", value
    if name.startswith("on") or "{" in name:
        return "", ""
    return name, _REFERENCE.sub(rf"url(#{prefix}\1)", value)
