"""Colours and patterns by meaning, light and dark; the font."""
