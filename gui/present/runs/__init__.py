"""Answers held against others: runs, fronts, sweeps, advice, measurements."""
