"""The stages in their order, and what is kept of them between runs."""
