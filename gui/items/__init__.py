"""What canvases are made of: batch-drawn rectangles, axes, and the hands that move them."""
