"""Proof: the error of each operator on inputs of the user's own, and whose fault it is."""
