"""`worldline check`: which way of asking a model understands, found out on three tiny programs."""
