"""Text in Meta's format as other people's files hold it: special tokens lost, cut off, running on."""
