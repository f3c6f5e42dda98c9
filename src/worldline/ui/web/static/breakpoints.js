// Breakpoints of the programs of a sample: lines, by their source, as long as the sample is shown. A rewritten program has its own.

/** The breakpoints of a view. */
export class Breakpoints {
  constructor() {
    this.kept = new Map();
  }

  /** The lines of a program that have one. */
  of(program) {
    if (!this.kept.has(program.source)) this.kept.set(program.source, new Set());
    return this.kept.get(program.source);
  }

  /** Sets one, or takes it away, at a line or the next that can run: {line, on}; null where none can. */
  toggle(program, asked) {
    const lines = this.of(program);
    const line = lines.has(asked) ? asked : program.runnable.find((one) => one >= asked);
    if (line === undefined) return null;
    if (!lines.delete(line)) lines.add(line);
    return { line, on: lines.has(line) };
  }
}
