"""Formats of files that are written, and how a file of each begins."""

from __future__ import annotations

import csv
import enum
import re

_SESSION = rb'\{\s*"version": \d+,'
_MARKS = {
    "TensorFlow Lite": rb"(?s).{4}TFL3",
    "JSON": rb'(?!%b)\s*(\{\s*["}]|\[\s*[\]\[{"\d-])' % _SESSION,
    "PNG": rb"\x89PNG\r\n\x1a\n",
    "SVG": rb"(?s)\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*(<!DOCTYPE svg[^>]*>\s*)?<svg\b",
    "HTML": rb"(?i)\s*<(!doctype html|html)\b",
    "PDF": rb"%PDF-",
    "session": _SESSION,
    "system config": rb"(?:[ \t\r]*(?:[#;][^\n]*)?\n)*\[(System_Config|Memory_Mode)\.",
    "sweep": rb"SQLite format 3\0",
    "Markdown": rb"#{2,6} Reefpoint\b",
    "JUnit": rb"<\?xml[^>]*\?>\s*<testsuites\b",
    "log": rb"# Reefpoint log\b",
    "report of a fault": rb"Versions\n-+\nReefpoint ",
}


MODEL_SUFFIXES = (".tflite", ".pte", ".bpte", ".vela_bin", ".npz")
"""How names of files end that are opened as models, compiled or not."""


class Form(enum.Enum):
    """A format, by what users call it and how names of its files end."""

    MODEL = "TensorFlow Lite", ".tflite"
    JSON = "JSON", ".json"
    CSV = "CSV", ".csv"
    PNG = "PNG", ".png"
    SVG = "SVG", ".svg"
    HTML = "HTML", ".html"
    PDF = "PDF", ".pdf"
    SESSION = "session", ".reefpoint"
    SWEEP = "sweep", ".sqlite"
    CONFIG = "system config", ".ini"
    MARKDOWN = "Markdown", ".md"
    JUNIT = "JUnit", ".xml"
    LOG = "log", ".log"
    FAULTS = "report of a fault", ".txt"

    def __init__(self, title: str, suffix: str) -> None:
        self.title = title
        self.suffix = suffix

    def begins(self, head: bytes) -> bool:
        """Whether a file that begins like this may be one."""
        if self is not Form.CSV:
            return re.match(_MARKS[self.title], head) is not None
        # Commas alone say little: others have them too.
        return _is_table(head) and not any(re.match(mark, head) for mark in _MARKS.values())


def _is_table(head: bytes) -> bool:
    """Whether the first two lines have as many columns, more than one; there may be one line."""
    lines = head.decode("utf-8", "replace").splitlines()[:2]
    columns = {len(row) for row in csv.reader(lines)} if "\0" not in "".join(lines) else set()
    return len(columns) == 1 and max(columns) > 1
