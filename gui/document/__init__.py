"""What the user has opened and asked for: frozen values, edits, history; no Qt."""
