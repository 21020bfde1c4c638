"""What each engine does, cycle by cycle, and the fast storage in use meanwhile."""
