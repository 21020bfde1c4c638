"""Cascades across branches: any part of the order of operators, with a ring for each map inside."""
