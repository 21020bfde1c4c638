"""The notes: a list to go to, to write in, and to take from."""
