"""Decisions of the user's: what can be asked, what was, and what became of it."""
