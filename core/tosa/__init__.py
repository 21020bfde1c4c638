"""Graphs of TOSA: read, and computed by the letter of its specification."""
