"""The memory view: addresses by time, region by region."""
