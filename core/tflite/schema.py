"""What a TensorFlow Lite file may hold."""

from __future__ import annotations

from core.flatbuf.schema import Schema

TFLITE = Schema("tflite")

table_schema = TFLITE.table
names_of = TFLITE.names_of
numbers_of = TFLITE.numbers_of
