"""One file for each way in which a source operator becomes NPU operators."""
