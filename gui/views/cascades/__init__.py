"""The cascades view: a chain of operators that hands on rows, stripe by stripe."""
