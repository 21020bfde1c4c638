"""Small controls that several views use."""
