"""The network as a graph."""
