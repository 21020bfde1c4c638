"""Tables of commands: id, title, keys, when, run."""
