"""The worker process: one schedule at a time, progress, cancel, stale answers dropped."""
