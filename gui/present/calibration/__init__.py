"""A calibration: what is asked, and what was found, as rows, points and sentences."""
