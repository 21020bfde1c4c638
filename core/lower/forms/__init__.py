"""Operators in other forms that compute the same: fewer dimensions, one picture, another kind."""
