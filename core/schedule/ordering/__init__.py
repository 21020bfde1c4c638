"""The order of an island's operators, where it is the search's to decide."""
