"""What is said of the selection, and why it was decided."""
