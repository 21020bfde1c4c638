"""Feature maps over time and addresses."""
