"""One search core: nodes and backup, selection functions, and the loops that use them."""
