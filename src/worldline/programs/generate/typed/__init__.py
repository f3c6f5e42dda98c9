"""The typed grammar: productions by type, expressions, statements, loops and whole functions made of them."""
