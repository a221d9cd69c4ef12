"""Text from anywhere: cleaned, cut into words, compared, freed of secrets, rendered as data."""
