"""Finds addresses: ranges of time and size in, a layout without overlaps out."""
