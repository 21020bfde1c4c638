"""Reefpoint for scripts and notebooks."""
