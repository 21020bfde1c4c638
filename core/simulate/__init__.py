"""Runs a compiled model's commands on real bytes, as the accelerator does it, bit by bit."""
