"""Attacks that take long, each a command: `python -m tests.fuzz NAME ...`."""
