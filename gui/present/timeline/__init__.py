"""Operators, transfers and bytes over time."""
