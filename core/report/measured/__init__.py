"""Measured cycles, and the operators that they belong to."""
