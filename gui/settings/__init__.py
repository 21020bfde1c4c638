"""What the app remembers from one start to the next; where it is kept is given from outside."""
