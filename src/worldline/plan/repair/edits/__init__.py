"""A general set of small changes of a Python source, each an edit of a span of its text."""
