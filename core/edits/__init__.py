"""Decisions of the user: their file, whom they are about, and what became of them."""
