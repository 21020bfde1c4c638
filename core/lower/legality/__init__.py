"""What the NPU can take: rules in order, for each operator of the file format."""
