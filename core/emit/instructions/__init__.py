"""How accelerators are told what to do: one file for each instruction set, and what one is."""
