"""TensorFlow Lite files: every offset checked on the way in, the same bytes each time out."""
