"""The guest of C, C++ and Rust: calls at `.loc` in the assembly, values read in process through a table out of DWARF."""
