"""Programs in other languages than Python: small Python programs, drawn, said in JavaScript, TypeScript, Java, C, C++ or Rust."""
