"""What would help, each of it tried."""
