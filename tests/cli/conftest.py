"""What is not a test: the files that the documentation's commands take for granted."""

collect_ignore = ["documented_files"]
