"""What differs between two schedules: in words, tables, JSON, CSV, and as a page."""
