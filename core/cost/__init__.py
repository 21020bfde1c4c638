"""What things cost: cycles, bytes and time, as pure functions over what is known of an operator."""
