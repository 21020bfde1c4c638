"""From a network to NPU operators: what may run there, what becomes of it, and in which order."""
