"""What the user has decided, and what became of it."""
