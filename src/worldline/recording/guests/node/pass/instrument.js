// The pass over a program's text: hooks at its lines, calls and ends, on the lines where they stand. No newline is added.
// Statements are here; functions, classes and what is inside expressions in functions.js.
'use strict';

const { Scopes, kids, patternNames, isFunction } = require('./scopes.js');
const { Splicer } = require('./splice.js');
const { judge } = require('./dirty.js');
const functions = require('./functions.js');
const { View, conflicts } = require('./view.js');
const closing = require('./closing.js');
const { plainNames, watchedBindings } = require('./captures.js');

const LOOPS = new Set(['ForStatement', 'WhileStatement', 'DoWhileStatement', 'ForOfStatement', 'ForInStatement']);
const SIMPLE = new Set(['ExpressionStatement', 'VariableDeclaration']);

/** A program that cannot be recorded, and why. */
class Unsupported extends Error {
  constructor(message, line) {
    super(`${message} (line ${line})`);
    this.line = line;
  }
}

class Instrumenter {
  constructor(source, tree, options) {
    this.source = source;
    this.tree = tree;
    this.options = options; // hook, file, module, firstFunction, firstSite, strict, call
    this.hook = options.hook;
    this.frame = `${options.hook}f`;
    this.error = `${options.hook}e`;
    this.scopes = new Scopes(tree);
    this.text = new Splicer(source);
    this.dirty = judge(watchedBindings(this), options.strict);
    this.functions = [];
    this.sites = [];
    this.levels = new Map(); // a function's or the program's node -> the variable that says how far its statements have come
    this.rounds = 0;
  }

  // ---- names and sites

  slot(fn, name) {
    let k = fn.names.indexOf(name);
    if (k < 0) {
      k = fn.names.length;
      fn.names.push(name);
      fn.hoisted.push(0);
      fn.outer.push(0);
    }
    return k;
  }

  site(view, line, isDirty) {
    const shown = view.visible();
    const slots = shown.map(([name]) => this.slot(view.fn, name));
    const key = slots.join();
    let set = view.fn.sets.indexOf(key);
    if (set < 0) set = view.fn.sets.push(key) - 1;
    const site = { line, slots, set, dirty: isDirty, fn: view.fn, id: this.options.firstSite + this.sites.length };
    this.sites.push(site);
    return { site, args: shown.map(([, text]) => `,${text}`).join('') };
  }

  /** The call that says that a line is about to run. */
  line(view, line, isDirty) {
    const { site, args } = this.site(view, line, isDirty);
    return { site, call: `${this.hook}.l(${this.frame},${site.id}${args})` };
  }

  isDirty(node, view) {
    return node ? this.dirty(node, view.scope) : false;
  }

  // ---- statements

  /** `before`: the line that runs when the list begins, if its own first line may be the same. */
  statements(list, view, before) {
    let previous = before ?? null;
    for (const node of list) previous = this.statement(node, view, previous);
  }

  /** A line hook before a statement, or none where the line runs already; what runs then. */
  before(node, view, isDirty, previous, at) {
    const line = node.loc.start.line;
    if (previous !== null && previous.line === line) {
      for (const site of previous.sites) site.dirty ||= isDirty;
      return previous;
    }
    const { site, call } = this.line(view, line, isDirty);
    this.text.open(at ?? node.start, `${call};`);
    return { line, sites: [site] };
  }

  /** A nested statement as a block with a scope of its own. */
  block(node, view, before, pre, post) {
    if (node.type === 'BlockStatement') {
      const inner = view.inner(node);
      if (pre) this.text.open(node.start + 1, pre);
      this.statements(node.body, inner, before);
      closing.end(this, node.body, inner);
      if (post) this.text[node.body.length > 0 ? 'close' : 'open'](node.end - 1, post(inner));
    } else {
      this.text.open(node.start, `{${pre ?? ''}`);
      const inner = view.inner(null);
      this.statements([node], inner, before);
      this.text.close(node.end, `${post ? `;${post(inner)}` : ''}}`);
    }
  }

  statement(node, view, previous, at) {
    const method = this[node.type];
    if (method !== undefined) return method.call(this, node, view, previous, at);
    const now = this.before(node, view, this.isDirty(node, view), previous, at);
    for (const child of kids(node)) functions.expression(this, child, view);
    return SIMPLE.has(node.type) ? now : null;
  }

  EmptyStatement(node, view, previous) { return previous; }
  ExportAllDeclaration() { return null; }
  ImportDeclaration(node) { functions.rebase(this, node.source); return null; }

  FunctionDeclaration(node, view) {
    functions.define(this, node, view, node.id ? node.id.name : 'default', {});
    return null;
  }

  ExportNamedDeclaration(node, view, previous) {
    if (!node.declaration) return null;
    return this.statement(node.declaration, view, previous, node.start);
  }

  ExportDefaultDeclaration(node, view, previous) {
    const what = node.declaration;
    if (what.type === 'FunctionDeclaration' || what.type === 'ClassDeclaration') return this.statement(what, view, previous, node.start);
    const now = this.before(node, view, this.isDirty(what, view), previous);
    functions.expression(this, what, view, 'default');
    return now;
  }

  VariableDeclaration(node, view, previous, at) {
    const now = this.before(node, view, this.isDirty(node, view), previous, at);
    functions.declaration(this, node, view);
    return now;
  }

  ClassDeclaration(node, view, previous, at) {
    const now = this.before(node, view, true, previous, at);
    functions.classBody(this, node, view, node.id ? node.id.name : 'default');
    if (node.id) view.show(node.id.name);
    return now.line === node.loc.end.line ? now : null;
  }

  ReturnStatement(node, view, previous) {
    const now = this.before(node, view, this.isDirty(node, view), previous);
    const late = view.late();
    if (late) view.fn.late = true;
    const { site, args } = this.site(view, node.loc.start.line, false);
    const head = `${this.hook}.${late ? 'v' : 'r'}(${this.frame},${site.id},`;
    if (node.argument) {
      this.text.open(node.argument.start, `${head}(`);
      functions.expression(this, node.argument, view);
      this.text.close(node.argument.end, `)${args})`);
    } else this.text.close(node.start + 6, ` ${head}void 0${args})`);
    return now;
  }

  ThrowStatement(node, view, previous) {
    const now = this.before(node, view, this.isDirty(node, view), previous);
    const { site, args } = this.site(view, node.loc.start.line, false);
    this.text.open(node.argument.start, `${this.hook}.t(${this.frame},${site.id},(`);
    functions.expression(this, node.argument, view);
    this.text.close(node.argument.end, `)${args})`);
    return now;
  }

  BreakStatement(node, view, previous) {
    const now = this.before(node, view, false, previous);
    if (now === previous) closing.jump(this, node, view, true);
    return now;
  }

  /** `continue`: out of the round, so that each `finally` has run and inner iterators are closed before the loop's head is told. */
  ContinueStatement(node, view, previous) {
    const round = view.roundOf(node.label ? node.label.name : null);
    const now = this.before(node, view, false, previous);
    if (now === previous) closing.jump(this, node, view, false);
    if (round === null) return now;
    this.text.blank(node.start, node.end);
    this.text.open(node.start, `break ${round};`);
    return now;
  }

  IfStatement(node, view, previous) {
    const now = this.before(node, view, this.isDirty(node.test, view), previous);
    functions.expression(this, node.test, view);
    this.block(node.consequent, view, now);
    if (node.alternate) this.block(node.alternate, view, now);
    return null;
  }

  LabeledStatement(node, view, previous) {
    let body = node;
    const labels = [];
    for (; body.type === 'LabeledStatement'; body = body.body) labels.push(body.label.name);
    if (LOOPS.has(body.type)) {
      body.labels = labels;
      return this.statement(body, view, previous, node.start);
    }
    if (body.type === 'BlockStatement') this.BlockStatement(body, view, previous);
    else {
      const now = this.before(node, view, this.isDirty(body, view), previous);
      this.statement(body, view, { line: body.loc.start.line, sites: now.sites });
    }
    return null;
  }

  BlockStatement(node, view, previous) {
    const inner = view.inner(node);
    this.statements(node.body, inner, previous);
    closing.end(this, node.body, inner);
    return null;
  }

  ForStatement(node, view, previous, at) {
    const inner = view.inner(node);
    const first = this.before(node, view, this.isDirty(node.init, inner) || this.isDirty(node.test, inner), previous, at);
    if (node.init && node.init.type === 'VariableDeclaration') functions.declaration(this, node.init, inner);
    else if (node.init) functions.expression(this, node.init, inner);
    this.condition(node, inner);
    const { site, call } = this.line(inner, node.loc.start.line, this.isDirty(node.test, inner) || this.isDirty(node.update, inner));
    if (node.update) {
      this.text.open(node.update.start, `(${call},`);
      functions.expression(this, node.update, inner);
      this.text.close(node.update.end, ')');
    } else this.text.close(this.closing(node), call);
    inner.loop = { labels: node.labels ?? [], round: null };
    this.block(node.body, inner, { line: first.line, sites: [...first.sites, site] });
    return null;
  }

  /** The test of a `for`; where it fails, the names of the head are told before they are gone. */
  condition(node, view) {
    const last = closing.test(this, node, view);
    if (last !== null) this.text.open(node.test.start, '(');
    if (node.test) functions.expression(this, node.test, view);
    if (last !== null) this.text.close(node.test.end, `)||${last}`);
  }

  /** Where the bracket is that closes a loop's head; comments in between may have brackets too. */
  closing(node) {
    let at = (node.test ?? node.init ?? node).end;
    if (!node.test && !node.init) at = node.start;
    const { tokens } = this.options;
    let found = -1;
    for (const token of tokens) if (token.start >= at && token.end <= node.body.start && token.type.label === ')') found = token.start;
    return found;
  }

  WhileStatement(node, view, previous, at) {
    const inner = view.inner(null);
    inner.loop = { labels: node.labels ?? [], round: null };
    const { site, call } = this.line(view, node.loc.start.line, this.isDirty(node.test, view));
    this.text.open(node.test.start, `(${call},`);
    functions.expression(this, node.test, view);
    this.text.close(node.test.end, ')');
    this.block(node.body, inner, { line: node.loc.start.line, sites: [site] });
    return null;
  }

  DoWhileStatement(node, view) {
    const inner = view.inner(null);
    inner.loop = { labels: node.labels ?? [], round: null };
    this.block(node.body, inner, null);
    const { call } = this.line(view, node.test.loc.start.line, this.isDirty(node.test, view));
    this.text.open(node.test.start, `(${call},`);
    functions.expression(this, node.test, view);
    this.text.close(node.test.end, ')');
    return null;
  }

  ForOfStatement(node, view, previous, at) {
    const inner = view.inner(node);
    const isDirty = this.isDirty(node, inner) && (this.isDirty(node.right, view) || this.dirty({ ...node, body: null, right: null }, view.scope));
    const first = this.before(node, view, isDirty, previous, at);
    const resumed = node.await ? this.site(view, node.loc.start.line, true) : null;
    if (node.await) functions.delegate(this, node.right, view, { ...resumed, awaits: true, text: this.source.slice(node.right.start, node.right.end) });
    else functions.expression(this, node.right, view);
    this.target(node, view, inner);
    const round = continues(node.body) ? `${this.hook}b${this.rounds++}` : null;
    inner.loop = { labels: node.labels ?? [], round };
    inner.closes = node.type === 'ForOfStatement';
    const { site, call } = this.line(inner, node.loc.start.line, isDirty);
    const sites = [...first.sites, site];
    const pre = resumed === null ? '' : `${this.hook}.z(${this.frame},${resumed.site.id},void 0${resumed.args});`;
    const [start, end] = round === null ? ['', ''] : [`${round}:{`, '}'];
    this.block(node.body, inner, { line: first.line, sites }, pre + start, () => `${end}${call};`);
    // What a body on the same line may change, each telling of the head is followed by.
    if (sites.some((site) => site.dirty)) for (const site of sites) site.dirty = true;
    return null;
  }

  ForInStatement(node, view, previous, at) { return this.ForOfStatement(node, view, previous, at); }

  /** What a for-of or for-in binds. */
  target(node, view, inner) {
    if (node.left.type !== 'VariableDeclaration') { functions.expression(this, node.left, view); return; }
    const pattern = node.left.declarations[0].id;
    functions.pattern(this, pattern, inner);
    for (const name of patternNames(pattern)) if (node.left.kind !== 'var') inner.show(name);
  }

  SwitchStatement(node, view, previous) {
    const tests = node.cases.some((part) => this.isDirty(part.test, view));
    this.before(node, view, tests || this.isDirty(node.discriminant, view), previous);
    functions.expression(this, node.discriminant, view);
    for (const part of node.cases) {
      const inner = view.inner(node);
      if (part.test) functions.expression(this, part.test, inner);
      this.statements(part.consequent, inner, null);
      closing.end(this, part.consequent, inner);
    }
    return null;
  }

  TryStatement(node, view, previous) {
    const body = view.inner(null);
    body.finals = node.finalizer !== null;
    this.block(node.block, body, previous);
    if (node.handler) this.handler(node.handler, body);
    else this.text.open(node.block.end, this.passing(view));
    if (node.finalizer) this.block(node.finalizer, view, null, '', node.finalizer.body.length > 0 ? (inner) => this.done(inner, node.finalizer) : null);
    return null;
  }

  /** The end of a `finally`: what its last line changed may be out of sight where the frame ends. */
  done(view, node) {
    const { site, args } = this.site(view, node.loc.end.line, false);
    return `;${this.hook}.e(${this.frame},${site.id},0${args});`;
  }

  /** What tells of an exception before a `finally` runs, and throws it on. */
  passing(view) {
    const { site, args } = this.site(view, 0, false);
    return `catch(${this.error}){throw ${this.hook}.p(${this.frame},${this.error},${site.id}${args});}`;
  }

  handler(node, view) {
    const [guard, passing] = view.finals ? ['{try', `${this.passing(view)}}`] : ['', ''];
    const inner = view.inner(node);
    const { site, args } = this.site(inner, node.loc.start.line, false);
    const caught = (name) => `${this.hook}.h(${this.frame},${name},${site.id}${args});`;
    const { param } = node;
    for (const name of patternNames(param)) inner.show(name);
    if (!param || param.type === 'Identifier') {
      this.text.open(node.body.start, `${param ? '' : `(${this.error})`}${guard}`);
      this.block(node.body, inner, null, caught(param ? param.name : this.error));
    } else this.unpacking(node, inner, `${this.error})${guard}{${caught(this.error)}let `);
    this.text.close(node.end, passing);
  }

  /** A handler whose parameter is a pattern: it is unpacked when the exception has been told. */
  unpacking(node, view, start) {
    this.text.open(node.param.start, start);
    functions.pattern(this, node.param, view);
    this.text.close(node.param.end, `=${this.error};`);
    for (const token of this.options.tokens) {
      if (token.start >= node.param.end && token.end <= node.body.start && token.type.label === ')') this.text.blank(token.start, token.end);
    }
    this.text.blank(node.body.start, node.body.start + 1);
    this.block(node.body, view, null);
  }

  WithStatement(node) { throw new Unsupported('a `with` statement: which names it means is known only when it runs', node.loc.start.line); }

  // ---- the whole program

  program() {
    const { tree, hook, frame, options } = this;
    const fn = functions.describe(this, '<module>', tree, 1, []);
    fn.module = true;
    const view = new View(this, fn, this.scopes.at.get(tree), null);
    const list = tree.body;
    let i = 0;
    while (i < list.length && list[i].directive) i++;
    const at = i > 0 ? list[i - 1].end : this.source.startsWith('#!') ? this.source.indexOf('\n') + 1 : 0;
    const guarded = !options.module && !conflicts(list);
    const start = options.module ? `import ${hook} from "${hook}";` : `const ${hook}=${options.take};`;
    this.text.open(at, `${i > 0 ? ';' : ''}${start}${this.level(tree)}const ${frame}=${hook}.c(${fn.id});${guarded ? 'try{' : ''}`);
    const edge = this.site(new View(this, fn, null, null), 1, false).site.id;
    this.statements(list.slice(i), view, null);
    const { site, args } = this.site(view, tree.loc.end.line, false);
    const get = options.call && this.scopes.at.get(tree).names.has(options.call) ? `${hook}.g(()=>${options.call});` : '';
    const leave = guarded ? `}catch(${this.error}){throw ${hook}.x(${frame},${this.error},${edge});}` : '';
    const last = fn.late ? `finally{${hook}.q(${frame},0,${edge});}` : '';
    this.text[this.source ? 'close' : 'open'](this.source.length, `\n;${get}${hook}.r(${frame},${site.id},void 0${args});${leave}${guarded ? last : ''}`);
    return this.result();
  }

  /** The declaration of the variable that tells how far a list of statements has come; nothing where none is needed. */
  level(node) {
    const needed = this.leveled.get(node);
    return needed === undefined ? '' : `var ${needed.name};`;
  }

  get leveled() {
    this.levelsFound ??= functions.levels(this);
    return this.levelsFound;
  }

  result() {
    for (const site of this.sites) {
      const shown = new Set(site.slots);
      site.hidden ??= site.fn.names.map((_, k) => k).filter((k) => !shown.has(k));
    }
    for (const fn of this.functions) {
      const plain = plainNames(this, fn);
      if (plain.length > 0) fn.plain = plain;
    }
    const code = this.text.text();
    const flow = this.options.flow ? this.options.flow(this.functions) : undefined;
    const sites = this.sites.map(({ line, slots, set, dirty, hidden }) => ({ line, slots, set, dirty, hidden }));
    const functions_ = this.functions.map(({ sets, late, id, node, ...rest }) => rest);
    const stateful = functions.holdState(this);
    const captures = this.functions.some((fn) => fn.captures !== null);
    return { code, stateful, captures, pieces: this.text.pieces, functions: functions_, sites, flow };
  }
}

/** Does a loop's body jump to a loop's head? */
function continues(node) {
  return node.type === 'ContinueStatement' || (!isFunction(node) && kids(node).some(continues));
}

module.exports = { Instrumenter, Unsupported, isFunction };
