"""Notes: what they are about, as rows, and where their flags stand."""
