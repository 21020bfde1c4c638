"""Weights as the hardware wants them: brick order, compressed streams, scale and bias records."""
