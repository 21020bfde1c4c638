"""From a schedule with addresses to what the accelerator is told, island by island."""
