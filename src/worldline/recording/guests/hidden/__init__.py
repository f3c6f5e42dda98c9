"""Control and record what the text of a program does not determine: by a seed, a record or the machine."""
