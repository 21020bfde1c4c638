"""The nouns that the stages hand to each other: frozen values, one noun a file."""
