"""Programs as words: registers, command streams and payloads, read and written."""
