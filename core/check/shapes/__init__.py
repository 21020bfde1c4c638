"""The shapes that operators give: one file for each family of kinds."""
