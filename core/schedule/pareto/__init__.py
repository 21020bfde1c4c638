"""The Pareto engine: operator by operator over all strategies, from the smallest to the fastest."""
