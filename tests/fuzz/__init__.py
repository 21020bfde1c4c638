"""Attacks on all that is read, and on the proof: `python -m tests.fuzz [SECONDS | NAME ...]`."""
