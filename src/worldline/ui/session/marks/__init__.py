"""What is marked in a source and in a state: words by their grammar, names by the object that they share."""
