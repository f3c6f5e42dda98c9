"""The guest of C, C++ and Rust: hooks at `.loc` in the assembly, values read with a table from DWARF."""
