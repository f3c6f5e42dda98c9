// Control flow of a program's functions, read off the syntax: for each line, the lines that may be reported next.
// It follows instrument.js statement by statement: a line hook there is a point here. Over-approximates, never the reverse.
'use strict';

const { kids, isFunction } = require('./scopes.js');

class Point {
  constructor(line) {
    this.line = line; // null: nothing is reported here
    this.next = new Set();
    this.raises = null;
  }
}

/** Links points to what may come after them. */
function link(from, to) {
  for (const point of from) point.next.add(to);
}

class Builder {
  constructor() {
    this.points = [];
    this.exit = new Point(null);
    this.handler = null; // where an exception goes
    this.finals = []; // finally blocks around, innermost last
    this.targets = []; // loops, switches and labelled statements around
    this.yields = new Set();
    this.closing = 0; // loops around that wait when they are left, wherever that is
  }

  point(line) {
    const point = new Point(line);
    point.raises = this.handler;
    if (line === null) return point;
    this.points.push(point);
    if (this.closing > 0) this.yields.add(line);
    return point;
  }

  /** A list of statements; `state` is {from: points, line: of what runs already, or null}. */
  list(list, state) {
    let now = state;
    for (const node of list) now = this.statement(node, now);
    return now;
  }

  statement(node, state) {
    const method = this[node.type];
    if (method !== undefined) return method.call(this, node, state);
    const now = this.before(node, state);
    const after = this.inside(node, now);
    return node.type === 'ExpressionStatement' || node.type === 'VariableDeclaration' ? after : { from: after.from, line: null };
  }

  /** The point of a statement's own line, unless that line runs already. */
  before(node, state) {
    const line = node.loc.start.line;
    if (state.line === line) {
      if (suspends(node)) this.suspended(state.from, line);
      return state;
    }
    const point = this.point(line);
    link(state.from, point);
    if (suspends(node)) this.suspended([point], line);
    return { from: [point], line };
  }

  /** A generator may be closed where it waits: then its `finally` blocks run. */
  suspended(points, line) {
    this.yields.add(line);
    if (this.finals.length > 0) link(points, this.finals[this.finals.length - 1].entry);
  }

  /** Static blocks of classes inside an expression run in the same frame. */
  inside(node, state) {
    let now = state;
    for (const block of staticBlocks(node)) now = { from: [...now.from, ...this.list(block.body, { from: now.from, line: null }).from], line: null };
    return now;
  }

  EmptyStatement(node, state) { return state; }
  FunctionDeclaration(node, state) { return { from: state.from, line: null }; }
  ImportDeclaration(node, state) { return { from: state.from, line: null }; }
  ExportAllDeclaration(node, state) { return { from: state.from, line: null }; }

  ExportNamedDeclaration(node, state) {
    return node.declaration ? this.statement(node.declaration, state) : { from: state.from, line: null };
  }

  ExportDefaultDeclaration(node, state) {
    if (node.declaration.type === 'FunctionDeclaration') return { from: state.from, line: null };
    if (node.declaration.type === 'ClassDeclaration') return this.statement(node.declaration, state);
    return this.inside(node, this.before(node, state));
  }

  ClassDeclaration(node, state) {
    const now = this.inside(node, this.before(node, state));
    return now.line === node.loc.end.line ? now : { from: now.from, line: null };
  }

  ReturnStatement(node, state) {
    const now = this.inside(node, this.before(node, state));
    link(now.from, this.leaving());
    return { from: [], line: now.line };
  }

  /** Where a `return` goes: the innermost `finally`, or out. */
  leaving() {
    return this.finals.length > 0 ? this.finals[this.finals.length - 1].entry : this.exit;
  }

  ThrowStatement(node, state) {
    const now = this.inside(node, this.before(node, state));
    return { from: [], line: now.line };
  }

  BreakStatement(node, state) { return this.jump(node, state, 'after'); }
  ContinueStatement(node, state) { return this.jump(node, state, 'again'); }

  jump(node, state, where) {
    const now = this.before(node, state);
    const label = node.label ? node.label.name : null;
    for (let i = this.targets.length - 1; i >= 0; i--) {
      const target = this.targets[i];
      if (label === null ? target[where] !== null && !target.labelled : target.labels.includes(label)) {
        link(now.from, this.finals.length > target.finals ? this.finals[this.finals.length - 1].entry : target[where]);
        break;
      }
    }
    return { from: [], line: now.line };
  }

  IfStatement(node, state) {
    const now = this.inside(node.test, this.before({ ...node, body: null, consequent: null, alternate: null }, state));
    const yes = this.block(node.consequent, now);
    const no = node.alternate ? this.block(node.alternate, now) : now;
    return { from: [...yes.from, ...no.from], line: null };
  }

  block(node, state) {
    return this.list(node.type === 'BlockStatement' ? node.body : [node], state);
  }

  BlockStatement(node, state) { return { from: this.list(node.body, state).from, line: null }; }

  LabeledStatement(node, state) {
    let body = node;
    const labels = [];
    for (; body.type === 'LabeledStatement'; body = body.body) labels.push(body.label.name);
    if (/^(For|While|DoWhile)/.test(body.type)) return this.statement({ ...body, labels, loc: { ...body.loc } }, state);
    const after = this.point(null);
    this.targets.push({ labels, labelled: true, after, again: null, finals: this.finals.length });
    const done = body.type === 'BlockStatement' ? this.list(body.body, state) : this.statement(body, this.before(node, state));
    this.targets.pop();
    link(done.from, after);
    return { from: [after], line: null };
  }

  /** A loop: `body` is built between what comes in and what goes round again. */
  loop(node, state, again, ends) {
    const after = this.point(null);
    this.targets.push({ labels: node.labels ?? [], labelled: false, after, again, finals: this.finals.length });
    const done = this.block(node.body, state);
    this.targets.pop();
    link(done.from, again);
    if (ends) link([...state.from, again], after);
    return { from: [after], line: null };
  }

  ForStatement(node, state) {
    const head = { ...node, body: null };
    const first = this.inside({ type: 'X', init: node.init, test: node.test }, this.before(head, state));
    const round = this.point(node.loc.start.line);
    if (suspends(head)) this.suspended([round], round.line);
    const both = { from: [...first.from, round], line: node.loc.start.line };
    return this.loop(node, both, round, node.test !== null);
  }

  WhileStatement(node, state) {
    const head = this.point(node.loc.start.line);
    if (suspends(node.test)) this.suspended([head], head.line);
    link(state.from, head);
    const always = node.test.type === 'Literal' && node.test.value === true;
    return this.loop(node, { from: [head], line: node.loc.start.line }, head, !always);
  }

  DoWhileStatement(node, state) {
    const start = this.point(null), test = this.point(node.test.loc.start.line);
    if (suspends(node.test)) this.suspended([test], test.line);
    link(state.from, start);
    const done = this.loop(node, { from: [start], line: null }, test, false);
    link([test], start);
    link([test], done.from[0]);
    return done;
  }

  ForOfStatement(node, state) {
    const head = { ...node, body: null };
    const first = this.before(head, state);
    const round = this.point(node.loc.start.line);
    if (node.await || suspends(head)) {
      for (const point of [...first.from, round]) if (point.line !== null) this.suspended([point], point.line);
    }
    this.closing += node.await ? 1 : 0;
    const after = this.loop(node, { from: [...first.from, round], line: node.loc.start.line }, round, true);
    this.closing -= node.await ? 1 : 0;
    return after;
  }

  ForInStatement(node, state) { return this.ForOfStatement(node, state); }

  SwitchStatement(node, state) {
    const now = this.before({ ...node, cases: node.cases.map((part) => part.test) }, state);
    const after = this.point(null);
    this.targets.push({ labels: [], labelled: false, after, again: null, finals: this.finals.length });
    let fall = [];
    for (const part of node.cases) {
      const entry = this.point(null);
      link([...now.from, ...fall], entry);
      fall = this.list(part.consequent, { from: [entry], line: null }).from;
    }
    this.targets.pop();
    link(fall, after);
    if (!node.cases.some((part) => part.test === null)) link(now.from, after);
    return { from: [after], line: null };
  }

  TryStatement(node, state) {
    const outside = this.handler, after = this.point(null);
    const final = node.finalizer ? { entry: this.point(null) } : null;
    const caught = node.handler ? this.point(null) : null;
    if (final) this.finals.push(final);
    this.handler = caught ?? final.entry;
    // What waits or runs before the first line of the block raises as that line does.
    link(this.block(node.block, state).from, final ? final.entry : after);
    if (node.handler) {
      this.handler = final ? final.entry : outside;
      link(this.block(node.handler.body, { from: [caught], line: null }).from, final ? final.entry : after);
      if (this.handler !== null) caught.next.add(this.handler);
    }
    this.handler = outside;
    if (!final) return { from: [after], line: null };
    this.finals.pop();
    this.finally(node, final, after, outside);
    return { from: [after], line: null };
  }

  /** After a `finally` block: on, out, to a handler around, or to wherever a jump went. */
  finally(node, final, after, outside) {
    const ends = this.block(node.finalizer, { from: [final.entry], line: null }).from;
    link(ends, after);
    link(ends, this.leaving());
    if (outside !== null) link(ends, outside);
    for (const target of this.targets) {
      const inner = this.finals.length > target.finals;
      for (const place of [target.after, target.again]) if (place !== null && !inner) link(ends, place);
    }
  }
}

/** Does it suspend the frame, in its own expressions? */
function suspends(node) {
  if (!node || typeof node.type !== 'string' || isFunction(node)) return false;
  if (node.type === 'YieldExpression' || node.type === 'AwaitExpression' || (node.type === 'ForOfStatement' && node.await)) return true;
  if (/Statement$/.test(node.type) && node.type !== 'ExpressionStatement' && node.type !== 'ReturnStatement' && node.type !== 'ThrowStatement') {
    return kids(node).some((child) => !/Statement$/.test(child.type) && suspends(child));
  }
  return kids(node).some(suspends);
}

function staticBlocks(node, found = []) {
  if (!node || isFunction(node)) return found;
  if (node.type === 'StaticBlock') found.push(node);
  else for (const child of kids(node)) staticBlocks(child, found);
  return found;
}

/** The lines that can be reported next from a set of points, and whether the frame can end. */
function reached(points, exit) {
  const lines = new Set(), seen = new Set(), waiting = [...points];
  let ends = false;
  while (waiting.length > 0) {
    const point = waiting.pop();
    if (seen.has(point)) continue;
    seen.add(point);
    if (point === exit) ends = true;
    else if (point.line !== null) lines.add(point.line);
    else waiting.push(...point.next);
  }
  return { lines, ends };
}

const sorted = (lines) => [...lines].sort((a, b) => a - b);

/** The control flow of one function, as the table of docs/reference/format.md has it. */
function flowOf(fn) {
  const { node } = fn, builder = new Builder(), start = builder.point(null);
  const now = { from: [start], line: null };
  if (node.type === 'Program' || node.body.type === 'BlockStatement') {
    const list = node.type === 'Program' ? node.body : node.body.body;
    link(builder.list(list.filter((each) => !each.directive), now).from, builder.exit);
  } else link(builder.inside(node.body, builder.before({ ...node.body, loc: node.body.loc }, now)).from, builder.exit);
  return fold(fn, builder, start);
}

function fold(fn, builder, start) {
  const next = new Map(), handlers = new Map(), returns = new Set();
  for (const point of builder.points) {
    const after = reached(point.next, builder.exit);
    if (!next.has(point.line)) next.set(point.line, new Set());
    for (const line of after.lines) next.get(point.line).add(line);
    if (after.ends) returns.add(point.line);
    if (point.raises === null) continue;
    const raised = reached([point.raises], builder.exit);
    if (!handlers.has(point.line)) handlers.set(point.line, new Set());
    for (const line of raised.lines) handlers.get(point.line).add(line);
    if (raised.ends) returns.add(point.line);
  }
  const first = reached(start.next, builder.exit);
  if (first.ends) returns.add(fn.line);
  const table = (map) => Object.fromEntries([...map].map(([line, lines]) => [line, sorted(lines)]));
  return {
    name: fn.name, line: fn.line, start: sorted(first.lines), next: table(next), handlers: table(handlers), returns: sorted(returns),
    yields: sorted(builder.yields), names: fn.names,
  };
}

/** The flow table of an instrumented file. */
function flowTable(functions) {
  return { functions: functions.map(flowOf), globals: [] };
}

module.exports = { flowTable };
