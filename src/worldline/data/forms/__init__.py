"""Programs in other forms that do the same: one operation a line, among other definitions, as methods, as scripts."""
