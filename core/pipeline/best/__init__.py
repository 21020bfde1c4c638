"""One front of schedules that answers every limit: grown step by step, looked up, and kept."""
