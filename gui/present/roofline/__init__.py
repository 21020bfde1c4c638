"""Operators under roofs: what is computed with what is moved."""
