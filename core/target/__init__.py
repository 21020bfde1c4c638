"""What the compiler compiles for: accelerators, memories, and the facts of the hardware."""
