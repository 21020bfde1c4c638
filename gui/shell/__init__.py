"""The window and how it comes to be: the only place where the parts are wired together."""
