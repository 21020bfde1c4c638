"""Chooses stripes, cascades, buffers and what stays in fast storage."""
