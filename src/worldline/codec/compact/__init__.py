"""The compact notation (docs/reference/format.md, section 5): written, read, cut to turns. `guide`: the next bytes."""
