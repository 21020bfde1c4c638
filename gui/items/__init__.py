"""Batch-drawn pyqtgraph items: one item for a hundred thousand rectangles."""
