"""The door to edits: their file, and the decisions of a schedule as edits."""

from __future__ import annotations

from core.edits.freeze import freeze
from core.edits.names import Names
from core.edits.plain import from_plain, to_plain
from core.edits.text import EditsFile, decode, encode

__all__ = ["EditsFile", "Names", "decode", "encode", "freeze", "from_plain", "to_plain"]
