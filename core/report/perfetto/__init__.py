"""A trace in the format that Perfetto opens."""
