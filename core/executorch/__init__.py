"""Files of ExecuTorch: programs, weights beside them, and what delegates are compiled to."""
