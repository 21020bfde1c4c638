"""Reefpoint's compiler: values and pure stages, without Qt, printing or global state."""
