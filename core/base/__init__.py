"""What knows nothing of networks: errors, shapes, fixed-point arithmetic, digests, progress."""
