"""Text in Meta's format from other people's files: special tokens lost, cut off, or running on."""
