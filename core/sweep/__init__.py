"""Many schedules at once: limits, strategies, targets and models, into one file."""
