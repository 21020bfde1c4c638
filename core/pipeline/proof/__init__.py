"""Compiled models executed, and held against their originals."""
