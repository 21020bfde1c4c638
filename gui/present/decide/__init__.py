"""The form of all decisions about what is selected."""
