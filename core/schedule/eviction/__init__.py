"""Which feature maps stay in fast storage: one file for each policy, one signature for all."""
