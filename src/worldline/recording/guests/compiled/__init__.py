"""The guest of C, C++ and Rust: calls at `.loc` in the assembly, values read in process by a table out of DWARF."""
