"""What a board's memories are, found by what was measured on it."""
