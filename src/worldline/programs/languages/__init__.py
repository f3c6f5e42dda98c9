"""Programs in other languages: drawn in Python, translated into JS, TypeScript, Java, C, C++, Rust or Go."""
