"""What a board has to have for a compiled model."""
