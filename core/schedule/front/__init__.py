"""Cuts of an island into parts that run stripe by stripe or alone, exactly, for any limit."""
