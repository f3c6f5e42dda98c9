// Functions, classes and what is inside expressions: the half of the pass that instrument.js leaves.
'use strict';

const { isFunction, kids, patternNames } = require('./scopes.js');
const { unwrapped } = require('./dirty.js');
const { View, conflicts } = require('./view.js');
const { noteCaptures } = require('./captures.js');

const SHOWN_OUTER = new Set(['let', 'const', 'var', 'param', 'catch']);
const LATE = new Set(['let', 'const', 'class']); // which cannot be read before they have a value

/** A function's entry in the tables: its slots begin with its parameters, then come the outer names that it uses. */
function describe(it, name, node, line, params) {
  const fn = {
    id: it.options.firstFunction + it.functions.length, name, file: it.options.file, line, names: [], hoisted: [], outer: [],
    params: 0, module: false, suspends: node.async === true || node.generator === true, generates: node.generator === true, sets: [], late: false, node,
    captures: null, plain: null,
  };
  it.functions.push(fn);
  for (const param of params) it.slot(fn, param);
  fn.params = fn.names.length;
  return fn;
}

/** Is a binding a function or class with properties that change? */
function isStateful(binding) {
  if (!binding.holds) return false;
  return binding.kind === 'function' || binding.kind === 'class' || (binding.init !== null && (isFunction(unwrapped(binding.init)) || unwrapped(binding.init).type === 'ClassExpression'));
}

/** May functions or classes of a file get properties that change? */
function holdState(it) {
  for (const scope of it.scopes.at.values()) for (const binding of scope.names.values()) if (isStateful(binding)) return true;
  return false;
}

/** Does a binding hold one function or class for good? Then it is no news in a frame that uses it. */
function isConstant(binding) {
  if (isStateful(binding)) return false;
  if (binding.assigned || binding.init === null) return false;
  const init = unwrapped(binding.init);
  if (isFunction(init) || init.type === 'ClassExpression') return true;
  return init.type === 'CallExpression' && init.callee.type === 'Identifier' && init.callee.name === 'require';
}

function locals(it, node) {
  const names = new Set();
  for (const scope of it.scopes.at.values()) if (scope.owner === node) for (const name of scope.names.keys()) names.add(name);
  return names;
}

/** The outer bindings that frames of a function show, with the texts that read them. */
function outerNames(it, node) {
  const used = it.scopes.outer.get(node);
  if (used === undefined || used.size === 0) return [];
  const own = locals(it, node), out = [];
  for (const [name, binding] of used) {
    if (own.has(name) || !(SHOWN_OUTER.has(binding.kind) || isStateful(binding)) || isConstant(binding)) continue;
    const text = reading(it, node, binding);
    if (text !== null) out.push([name, text, binding.scope.kind === 'module' || isStateful(binding) ? 1 : 2]);
  }
  return out;
}

/** The text that reads an outer binding without meeting its dead zone; null where there is none. */
function reading(it, node, binding) {
  if (!LATE.has(binding.kind)) return binding.name;
  const top = outermost(it, node, binding.scope.owner);
  const sure = top.type !== 'FunctionDeclaration' && top.start >= binding.end && binding.scope.kind !== 'switch';
  if (sure && !inLoopHead(binding)) return binding.name;
  const level = it.leveled.get(binding.scope.owner);
  const mark = level && (binding.scope.kind === 'module' || binding.scope.kind === 'function') ? level.marks.get(binding) : undefined;
  return mark === undefined ? null : `(${level.name}>=${mark}?${binding.name}:${it.hook}.n)`;
}

function inLoopHead(binding) {
  return binding.scope.kind === 'static';
}

/** The function around `node` that stands directly in `owner`. */
function outermost(it, node, owner) {
  let found = node;
  for (let scope = it.scopes.at.get(node).up; scope !== null && scope.owner !== owner; scope = scope.up) {
    if (isFunction(scope.owner)) found = scope.owner;
  }
  return found;
}

/** For each list of statements whose `let`s are used by functions that may run before them: how far it has come. */
function levels(it) {
  const found = new Map();
  for (const [node, used] of it.scopes.outer) {
    for (const binding of used.values()) {
      if (!LATE.has(binding.kind) || (binding.kind === 'class' && !isStateful(binding))) continue;
      const { kind, owner } = binding.scope;
      if (kind !== 'module' && kind !== 'function') continue;
      const top = outermost(it, node, owner);
      if ((top.type !== 'FunctionDeclaration' && top.start >= binding.end) || isConstant(binding)) continue;
      mark(it, found, owner, binding);
    }
  }
  return found;
}

function mark(it, found, owner, binding) {
  const list = owner.type === 'Program' ? owner.body : owner.body.body;
  if (!list) return;
  let level = found.get(owner);
  if (level === undefined) found.set(owner, level = { name: `${it.hook}t${found.size}`, marks: new Map(), places: new Set() });
  const index = list.findIndex((statement) => statement.start <= binding.end && binding.end <= statement.end);
  if (index < 0) return;
  level.marks.set(binding, index + 1);
  if (level.places.has(index)) return;
  level.places.add(index);
  const end = owner.type === 'Program' ? it.source.length : owner.body.end - 1;
  it.text.open(index + 1 < list.length ? list[index + 1].start : end, `;${level.name}=${index + 1};`);
}

/** The hooks of one function. */
function define(it, node, view, name, how) {
  const params = node.params.flatMap((param) => patternNames(param));
  const self = how.method !== false && !how.derived && node.type !== 'ArrowFunctionExpression' && it.scopes.uses.get(node) === true && !how.static;
  const shown = self ? ['this', ...params.filter((each) => each !== 'this')] : params;
  const fn = describe(it, name, node, how.line ?? node.loc.start.line, shown);
  const inner = new View(it, fn, it.scopes.at.get(node), null);
  for (const each of shown) inner.show(each);
  const outer = outerNames(it, node);
  for (const [each, text, kind] of outer) {
    fn.outer[it.slot(fn, each)] = kind;
    inner.show(each, text);
  }
  const opens = node.generator ? null : { id: fn.id, bound: self ? ['this'] : [] }; // a generator's values are computed where it is made
  for (const param of node.params) pattern(it, param, view, opens);
  const args = inner.visible().filter(([each]) => fn.names.indexOf(each) < fn.params || fn.outer[fn.names.indexOf(each)] > 0).map(([, text]) => `,${text}`).join('');
  const answer = noteCaptures(it, fn, node, outer, how);
  if (node.body.type === 'BlockStatement') body(it, node, inner, fn, args, how, answer);
  else arrow(it, node, inner, fn, args, answer);
  return fn;
}

/** What is computed before a body: where it calls, the frame begins first, with the parameters that are bound by then. */
function early(it, node, view, name, opens) {
  const begins = opens !== null && !isNamed(node) && callsAny(node);
  if (begins) it.text.open(node.start, `${it.hook}.w(${it.hook}.u(${[opens.id, ...opens.bound].join()}),(`);
  expression(it, node, view, name);
  if (begins) it.text.close(node.end, '))');
}

/** A function or a class takes its name from where it stands. */
function isNamed(node) {
  return isFunction(unwrapped(node)) || unwrapped(node).type === 'ClassExpression';
}

function callsAny(node) {
  if (node.type === 'CallExpression' || node.type === 'NewExpression' || node.type === 'TaggedTemplateExpression') return true;
  return !isFunction(node) && kids(node).some(callsAny);
}

function body(it, node, inner, fn, args, how, answer) {
  const { hook, frame, error } = it, list = node.body.body;
  let i = 0;
  while (i < list.length && list[i].directive) i++;
  const guarded = !conflicts(list);
  const start = `${it.level(node)}const ${frame}=${hook}.c(${fn.id}${args});${answer}${guarded ? 'try{' : ''}`;
  it.text.open(i > 0 ? list[i - 1].end : node.body.start + 1, (i > 0 ? ';' : '') + start);
  const edge = edgeOf(it, inner, node);
  for (const statement of list.slice(i)) {
    inner.previous = it.statement(statement, inner, inner.previous ?? null);
    if (how.derived && callsSuper(statement)) inner.show('this');
  }
  const { site, args: names } = it.site(inner, node.loc.end.line, false);
  const leave = guarded ? `}catch(${error}){throw ${hook}.x(${frame},${error}${edge});}` : '';
  const last = guarded && (fn.late || node.generator) ? `finally{${hook}.q(${frame},0${edge});}` : '';
  const returned = list.length > 0 && list[list.length - 1].type === 'ReturnStatement' ? '' : `;${hook}.r(${frame},${site.id},void 0${names});`;
  it.text[list.length > 0 ? 'close' : 'open'](node.body.end - 1, `${returned}${leave}${last}`); // `{}` is one place
}

/** The names that can still be read where the body is left: not those of its own block. */
function edgeOf(it, inner, node) {
  const { fn } = inner, edge = new View(it, fn, null, null);
  for (const [name, text] of inner.visible()) {
    const k = fn.names.indexOf(name);
    if (k < fn.params || fn.outer[k] > 0 || fn.hoisted[k] === 1) edge.show(name, text);
  }
  const { site, args } = it.site(edge, node.loc.end.line, false);
  return `,${site.id}${args}`;
}

function callsSuper(statement) {
  return statement.type === 'ExpressionStatement' && unwrapped(statement.expression).type === 'CallExpression' && unwrapped(statement.expression).callee.type === 'Super';
}

/** An arrow function whose body is an expression gets a block. */
function arrow(it, node, inner, fn, args, answer) {
  const { hook, frame, error } = it;
  const { call } = it.line(inner, node.body.loc.start.line, it.isDirty(node.body, inner));
  const { site, args: names } = it.site(inner, node.body.loc.start.line, false);
  it.text.open(node.body.start, `{const ${frame}=${hook}.c(${fn.id}${args});${answer}try{${call};return ${hook}.r(${frame},${site.id},(`);
  expression(it, node.body, inner);
  it.text.close(node.body.end, `)${names})}catch(${error}){throw ${hook}.x(${frame},${error},${site.id}${names});}}`);
}

/** The members of a class, and what tells the recorder about it. */
function classBody(it, node, view, name) {
  if (node.superClass) expression(it, node.superClass, view);
  const members = node.body.body;
  const secrets = members.filter((member) => member.type === 'PropertyDefinition' && !member.static && member.key.type === 'PrivateIdentifier');
  const read = secrets.map(({ key }) => `if(#${key.name} in o)r.push("#${key.name}",o.#${key.name});`).join('');
  const shared = members.filter((member) => member.type === 'PropertyDefinition' && member.static && member.key.type === 'PrivateIdentifier');
  const statics = shared.map(({ key }) => `if(#${key.name} in o)r.push("#${key.name}",o.#${key.name});`).join('');
  const readers = [read, statics].map((text) => (text ? `,(o,r)=>{${text}}` : ',null')).join('');
  it.text.open(node.body.start + 1, `static{${it.hook}.k(this${read || statics ? readers : ''});}`);
  const builder = members.find((member) => member.kind === 'constructor');
  const built = builder === undefined ? null : method(it, builder, node, view, name);
  const opens = built === null || node.superClass ? null : { id: built.id, bound: [] }; // else super() has begun the frame
  for (const member of members) {
    if (member.computed && member.key) expression(it, member.key, view);
    if (member.type === 'MethodDefinition' && member !== builder) method(it, member, node, view, name);
    else if (member.type === 'PropertyDefinition' && member.value) early(it, member.value, view, keyName(member), member.static ? null : opens);
    else if (member.type === 'StaticBlock') {
      const inner = view.inner(member);
      inner.noThis = true;
      it.statements(member.body, inner, null);
    }
  }
}

function method(it, member, node, view, name) {
  const builds = member.kind === 'constructor';
  return define(it, member.value, view, `${name}.${keyName(member)}`, {
    derived: builds && node.superClass !== null, constructs: builds, static: member.static, line: member.loc.start.line,
  });
}

function keyName(member) {
  if (member.computed) return '<computed>';
  if (member.key.type === 'PrivateIdentifier') return `#${member.key.name}`;
  return String(member.key.name ?? member.key.value);
}

/** What a declaration binds, and what it computes. */
function declaration(it, node, view) {
  for (const part of node.declarations) {
    pattern(it, part.id, view);
    if (part.init) expression(it, part.init, view, part.id.type === 'Identifier' ? part.id.name : undefined);
  }
  if (node.kind === 'var') return;
  for (const part of node.declarations) for (const name of patternNames(part.id)) view.show(name);
}

/** The expressions inside a pattern; `opens` is the frame whose parameters it binds, and which are bound already. */
function pattern(it, node, view, opens = null) {
  if (node.type === 'Identifier') {
    if (opens !== null && !opens.bound.includes(node.name)) opens.bound.push(node.name);
  } else if (node.type === 'Property') {
    if (node.computed) expression(it, node.key, view);
    pattern(it, node.value, view, opens);
  } else if (node.type === 'AssignmentPattern') {
    early(it, node.right, view, node.left.type === 'Identifier' ? node.left.name : undefined, opens);
    pattern(it, node.left, view, opens);
  } else if (/Pattern|RestElement/.test(node.type)) for (const child of kids(node)) pattern(it, child, view, opens);
  else expression(it, node, view);
}

/** Everything inside an expression that has hooks of its own. `name` is what a function there would be called. */
function expression(it, node, view, name) {
  switch (node.type) {
    case 'FunctionExpression': case 'ArrowFunctionExpression':
      define(it, node, view, (node.id && node.id.name) || name || '<anonymous>', {});
      return;
    case 'ClassExpression': classBody(it, node, view, (node.id && node.id.name) || name || '<anonymous>'); return;
    case 'ParenthesizedExpression': expression(it, node.expression, view, name); return;
    case 'Property': property(it, node, view); return;
    case 'AssignmentExpression':
      expression(it, node.left, view);
      expression(it, node.right, view, targetName(node.left));
      return;
    case 'ImportExpression':
      it.text.open(node.start, `${it.hook}.i`);
      it.text.blank(node.start, node.start + 6);
      it.text.open(node.source.start, `${JSON.stringify(it.options.file)},`);
      break;
    case 'YieldExpression': if (node.delegate) delegation(it, node, view); else suspension(it, node, view); return;
    case 'AwaitExpression': suspension(it, node, view); return;
  }
  for (const child of kids(node)) expression(it, child, view);
}

/** What a function is called that is assigned: a name, or the last part of `exports.name`. */
function targetName(node) {
  if (node.type === 'Identifier') return node.name;
  return node.type === 'MemberExpression' && !node.computed && node.property.type === 'Identifier' ? node.property.name : undefined;
}

function property(it, node, view) {
  if (node.computed) expression(it, node.key, view);
  if (node.value.type === 'FunctionExpression' && (node.method || node.kind !== 'init')) {
    define(it, node.value, view, keyName(node), { line: node.loc.start.line });
  } else expression(it, node.value, view, node.computed ? undefined : keyName(node));
}

/** `yield` and `await`: the frame suspends, and goes on. */
function suspension(it, node, view) {
  view.fn.suspends = true;
  const { site, args } = it.site(view, node.loc.start.line, true);
  it.text.open(node.start, `${it.hook}.z(${it.frame},${site.id},`);
  if (node.argument) {
    it.text.open(node.argument.start, `${it.hook}.y(${it.frame},${site.id},(`);
    expression(it, node.argument, view);
    it.text.close(node.argument.end, `)${args})`);
    it.text.close(node.end, `${args})`);
  } else it.text.close(node.end, ` ${it.hook}.y(${it.frame},${site.id},void 0${args})${args})`);
}

/** `yield*`: the frame suspends each time that what it delegates to does. */
function delegation(it, node, view) {
  const { site, args } = it.site(view, node.loc.start.line, true);
  it.text.open(node.start, `${it.hook}.z(${it.frame},${site.id},`);
  delegate(it, node.argument, view, { site, args, awaits: view.fn.node.async, text: '' });
  it.text.close(node.end, `${args})`);
}

/** What is gone over, watched. */
function delegate(it, node, view, { site, args, awaits, text }) {
  view.fn.suspends = true;
  it.text.open(node.start, `${it.hook}.d(${it.frame},(`);
  expression(it, node, view);
  it.text.close(node.end, `),(k,v)=>${it.hook}[k](${it.frame},${site.id},v${args}),${awaits},${JSON.stringify(text)})`);
}

/** Imports stay as they are: the loader resolves them. */
function rebase() {}

module.exports = { holdState, describe, define, classBody, declaration, delegate, pattern, expression, levels, rebase };
