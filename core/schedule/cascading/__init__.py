"""The ecosystem's cascading scheduler, as it is today."""
