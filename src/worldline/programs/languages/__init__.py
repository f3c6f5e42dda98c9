"""Programs in other languages: small Python programs, drawn, and said in JS, TypeScript, Java, C, C++ or Rust."""
