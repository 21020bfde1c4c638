"""From values and a viewport to arrays of rectangles, rows and sentences; no Qt."""
