"""What JSON is written for others: its keys, with what they mean, schemas and pages."""
