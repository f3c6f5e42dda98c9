"""Forms: programs rewritten to do the same, flattened, among other definitions, as methods, as scripts."""
