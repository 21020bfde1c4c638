"""What differs between A and what is shown."""
