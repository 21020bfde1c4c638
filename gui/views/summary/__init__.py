"""Whether the network fits, how fast it is, and sizes to copy."""
