"""The compact notation (docs/format.md, section 5): written, read, cut into turns; `guide`: which byte may follow."""
