"""The report as one page that needs nothing beside it."""
