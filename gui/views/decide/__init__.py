"""All decisions about what is selected, in one form."""
