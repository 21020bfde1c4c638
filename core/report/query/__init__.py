"""Questions about operators and maps: a small language, what it is asked of, and the answer."""
