"""One file for each family of accelerators, with its figures and where they are from."""
