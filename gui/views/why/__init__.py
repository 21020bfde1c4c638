"""Why the schedule is as it is."""
