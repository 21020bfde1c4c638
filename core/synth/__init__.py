"""Networks of our own: built from a seed, calibrated, quantised."""
