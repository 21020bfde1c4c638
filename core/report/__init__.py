"""What people and scripts read: text, JSON and CSV of values, without a window."""
