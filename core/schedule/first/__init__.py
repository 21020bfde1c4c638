"""The ecosystem's first cascading scheduler, as it was before its later releases changed it."""
