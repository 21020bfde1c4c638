"""The store: the one place that holds what all views show, and says what changed."""
