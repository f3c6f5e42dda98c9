"""The guest of JavaScript and TypeScript: their programs are instrumented by acorn and run by node."""
