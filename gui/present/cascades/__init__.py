"""Cascades as graphs, row by row."""
