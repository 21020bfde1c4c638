"""Flatbuffers of any schema: read with every offset checked, as records, and written again."""
