"""Judges of values: each says what is wrong with one noun, and shares no code with its maker."""
