"""The guest of JavaScript and TypeScript: programs are instrumented with acorn and executed by node."""
