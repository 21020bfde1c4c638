"""Knobs: what is asked of the compiler, beside what it has applied."""
