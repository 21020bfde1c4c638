"""The table of operators."""
