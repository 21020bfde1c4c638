"""What limits cost: the cells of a sweep, drawn over the limit."""
