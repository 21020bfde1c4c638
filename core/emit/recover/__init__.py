"""From a program back to the values that a compiler has: graph, schedule, layout, costs, trace."""
