"""Types of libstdc++ and Rust's std: how their values lie in memory, found by the names of fields."""
