"""Which bytes may come next in a compact text that is being written: automata, and what the program's text allows."""
