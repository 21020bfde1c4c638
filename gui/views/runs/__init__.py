"""What was asked and answered so far, to go back to."""
