"""The compiler in a process of its own, and the one who asks it."""
