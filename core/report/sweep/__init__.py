"""Sweeps as files: tables for scripts, and a page with plots for people."""
