"""How a finished program happens to be written: the layout of any program, and the habits of one writer."""
