"""The guest of Go: `pass/` instruments and compiles a program, `recorder/` is compiled into it."""
