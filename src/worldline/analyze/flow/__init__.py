"""Control flow of a source: which line may follow which, which names a frame can show, which lines never run."""
