"""The desktop app; it reaches the compiler through `core.api` and the values only."""
