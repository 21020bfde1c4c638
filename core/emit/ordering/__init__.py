"""The order in which commands may run beside each other: block dependencies and waits."""
