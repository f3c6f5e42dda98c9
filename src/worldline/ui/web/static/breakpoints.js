// Breakpoints of a sample's programs: lines by source. A rewritten program has its own.

/** The breakpoints of a view. */
export class Breakpoints {
  constructor() {
    this.linesBySource = new Map();
  }

  /** The lines of a program with a breakpoint. */
  of(program) {
    if (!this.linesBySource.has(program.source)) this.linesBySource.set(program.source, new Set());
    return this.linesBySource.get(program.source);
  }

  /** The breakpoints of all files of a program: lines of the main one, `FILE:LINE` of the others. */
  places(program) {
    const others = (program.files ?? []).flatMap((file) => [...this.of(file)].map((line) => `${file.name}:${line}`));
    return new Set([...this.of(program), ...others]);
  }

  /** Toggles a breakpoint at a line or the next executable one: {line, on}; null if there is none. */
  toggle(program, wanted) {
    const lines = this.of(program);
    const line = lines.has(wanted) ? wanted : program.runnable.find((candidate) => candidate >= wanted);
    if (line === undefined) return null;
    if (!lines.delete(line)) lines.add(line);
    return { line, on: lines.has(line) };
  }
}
