// Whose names are whose: the scopes of a syntax tree, what each declares, and which outer names each function uses.
'use strict';

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/** Is it a function's node? */
function isFunction(node) {
  return FUNCTIONS.has(node.type);
}

/** The child nodes of a node. */
function kids(node) {
  const out = [];
  for (const key of Object.keys(node)) {
    const child = node[key];
    if (Array.isArray(child)) {
      for (const each of child) if (each && typeof each.type === 'string') out.push(each);
    } else if (child && typeof child.type === 'string' && key !== 'loc') out.push(child);
  }
  return out;
}

/** The names that a pattern binds. */
function patternNames(node, out = []) {
  if (!node) return out;
  switch (node.type) {
    case 'Identifier': out.push(node.name); break;
    case 'ObjectPattern': for (const part of node.properties) patternNames(part.type === 'RestElement' ? part.argument : part.value, out); break;
    case 'ArrayPattern': for (const part of node.elements) patternNames(part, out); break;
    case 'AssignmentPattern': patternNames(node.left, out); break;
    case 'RestElement': patternNames(node.argument, out); break;
  }
  return out;
}

/** Does a class have static fields of its own? */
function hasStatics(node) {
  return node.type === 'ClassDeclaration' && node.body.body.some((member) => member.static && member.type !== 'MethodDefinition');
}

class Scope {
  constructor(kind, up, owner) {
    this.kind = kind;
    this.up = up;
    this.owner = owner; // the function's or the program's node
    this.names = new Map();
  }

  declare(name, kind, node, init) {
    const old = this.names.get(name);
    if (old !== undefined && (kind === 'var' || old.kind === 'param')) {
      if (kind === 'var') old.assigned = true;
      return;
    }
    this.names.set(name, { name, kind, scope: this, end: node.end, init: init ?? null, assigned: false, captured: false, isValue: false, seen: Infinity, shadowed: false, holds: hasStatics(node) });
    this.shadow(name);
  }

  /** A scope of the same function around this one may have a name like it. */
  shadow(name) {
    for (let scope = this.up; scope !== null && scope.owner === this.owner; scope = scope.up) {
      const other = scope.names.get(name);
      if (other !== undefined) other.shadowed = true;
    }
  }

  find(name) {
    for (let scope = this; scope !== null; scope = scope.up) {
      const found = scope.names.get(name);
      if (found !== undefined) return found;
    }
    return null;
  }

  get top() {
    let scope = this;
    while (scope.kind !== 'function' && scope.kind !== 'module' && scope.kind !== 'static') scope = scope.up;
    return scope;
  }
}

/** Scopes of a whole tree. `at` gives a node's own scope, `outer` the outer bindings that a function uses. */
class Scopes {
  constructor(tree) {
    this.at = new Map();
    this.outer = new Map();
    this.uses = new Map(); // a function's node -> whether it says `this`
    this.lexical = new Set(); // arrow functions that say the `this` of a function or an instance around them
    this.passed = new Map(); // functions that are called where they stand, or passed there: null, or the method's name
    this.references = [];
    const module = this.open(tree, 'module', null, tree);
    for (const node of tree.body) this.vars(node, module);
    this.hoist(tree.body, module);
    for (const node of tree.body) this.walk(node, module);
    this.resolve();
  }

  open(node, kind, up, owner) {
    const scope = new Scope(kind, up, owner);
    this.at.set(node, scope);
    return scope;
  }

  /** What a list of statements declares in its own scope, and `var`s below it in the function's. */
  hoist(list, scope) {
    for (let node of list) {
      if ((node.type === 'ExportNamedDeclaration' || node.type === 'ExportDefaultDeclaration') && node.declaration) node = node.declaration;
      if (node.type === 'FunctionDeclaration' && node.id) scope.declare(node.id.name, 'function', node, node);
      else if (node.type === 'ClassDeclaration' && node.id) scope.declare(node.id.name, 'class', node, node);
      else if (node.type === 'VariableDeclaration' && node.kind !== 'var') this.declareAll(node, scope);
      else if (node.type === 'ImportDeclaration') for (const part of node.specifiers) scope.declare(part.local.name, 'import', node);
    }
  }

  declareAll(node, scope) {
    for (const part of node.declarations) {
      const init = part.id.type === 'Identifier' ? part.init : null;
      for (const name of patternNames(part.id)) scope.declare(name, node.kind, node, init);
    }
  }

  vars(node, scope) {
    if (isFunction(node) || node.type === 'StaticBlock' || node.type === 'PropertyDefinition') return;
    if (node.type === 'VariableDeclaration' && node.kind === 'var') this.declareAll(node, scope);
    for (const child of kids(node)) this.vars(child, scope);
  }

  walk(node, scope) {
    if (isFunction(node)) { this.function(node, scope); return; }
    switch (node.type) {
      case 'Identifier': this.references.push({ name: node.name, scope, write: false }); return;
      case 'CallExpression': this.call(node, scope); return;
      case 'ThisExpression': case 'Super': this.markThis(scope); return;
      case 'MemberExpression': this.walk(node.object, scope); if (node.computed) this.walk(node.property, scope); return;
      case 'Property': case 'MethodDefinition': case 'PropertyDefinition':
        if (node.computed) this.walk(node.key, scope);
        if (node.value) this.walk(node.value, node.type === 'PropertyDefinition' ? this.open(node, 'static', scope, node) : scope);
        return;
      case 'StaticBlock': this.static(node, scope); return;
      case 'LabeledStatement': this.walk(node.body, scope); return;
      case 'BreakStatement': case 'ContinueStatement': case 'MetaProperty': case 'ImportDeclaration': case 'ExportAllDeclaration': return;
      case 'ExportNamedDeclaration': if (node.declaration) this.walk(node.declaration, scope); return;
      case 'BlockStatement': this.block(node, node.body, scope); return;
      case 'SwitchStatement': this.switch(node, scope); return;
      case 'ForStatement': case 'ForInStatement': case 'ForOfStatement': this.loop(node, scope); return;
      case 'CatchClause': this.catch(node, scope); return;
      case 'ClassDeclaration': case 'ClassExpression': this.class(node, scope); return;
      case 'VariableDeclaration': this.declaration(node, scope); return;
      case 'AssignmentExpression': this.writes(node.left, scope); break;
      case 'UpdateExpression': this.writes(node.argument, scope); break;
    }
    for (const child of kids(node)) this.walk(child, scope);
  }

  call(node, scope) {
    let { callee } = node;
    while (callee.type === 'ParenthesizedExpression') callee = callee.expression;
    const isMethod = callee.type === 'MemberExpression' && !callee.computed;
    if (isFunction(callee)) this.passed.set(callee, null);
    if (callee.type === 'Identifier') this.references.push({ name: callee.name, scope, write: false, calls: true });
    else this.walk(callee, scope);
    for (const argument of node.arguments) {
      if (isMethod && isFunction(argument)) this.passed.set(argument, callee.property.name);
      this.walk(argument, scope);
    }
  }

  declaration(node, scope) {
    for (const part of node.declarations) {
      this.pattern(part.id, scope);
      if (part.init) this.walk(part.init, scope);
    }
  }

  pattern(node, scope) {
    if (node.type === 'Identifier') return;
    if (node.type === 'Property') {
      if (node.computed) this.walk(node.key, scope);
      this.pattern(node.value, scope);
    } else if (node.type === 'AssignmentPattern') {
      this.pattern(node.left, scope);
      this.walk(node.right, scope);
    } else for (const child of kids(node)) this.pattern(child, scope);
  }

  writes(node, scope) {
    const target = node.type === 'ParenthesizedExpression' ? node.expression : node;
    if (target.type === 'MemberExpression' && target.object.type === 'Identifier') {
      this.references.push({ name: target.object.name, scope, write: false, holds: true });
    }
    for (const name of patternNames(target)) this.references.push({ name, scope, write: true });
  }

  block(node, list, scope) {
    const inner = this.open(node, 'block', scope, scope.owner);
    this.hoist(list, inner);
    for (const child of list) this.walk(child, inner);
  }

  static(node, scope) {
    const inner = this.open(node, 'static', scope, scope.owner);
    for (const child of node.body) this.vars(child, inner);
    this.hoist(node.body, inner);
    for (const child of node.body) this.walk(child, inner);
  }

  switch(node, scope) {
    this.walk(node.discriminant, scope);
    const inner = this.open(node, 'switch', scope, scope.owner);
    for (const part of node.cases) this.hoist(part.consequent, inner);
    for (const part of node.cases) for (const child of kids(part)) this.walk(child, inner);
  }

  loop(node, scope) {
    const inner = this.open(node, 'block', scope, scope.owner);
    const head = node.type === 'ForStatement' ? node.init : node.left;
    if (head && head.type === 'VariableDeclaration' && head.kind !== 'var') this.declareAll(head, inner);
    else if (head && head.type === 'VariableDeclaration') for (const name of patternNames(head.declarations[0].id)) this.references.push({ name, scope: inner, write: true });
    else if (head && node.type !== 'ForStatement') this.writes(head, inner);
    for (const child of kids(node)) this.walk(child, inner);
  }

  catch(node, scope) {
    const inner = this.open(node, 'block', scope, scope.owner);
    if (node.param) {
      for (const name of patternNames(node.param)) inner.declare(name, 'catch', node.param);
      this.pattern(node.param, inner);
    }
    this.block(node.body, node.body.body, inner);
  }

  class(node, scope) {
    const inner = this.open(node, 'block', scope, scope.owner);
    if (node.id && node.type === 'ClassExpression') inner.declare(node.id.name, 'class', node, node);
    if (node.superClass) this.walk(node.superClass, inner);
    for (const member of node.body.body) this.walk(member, inner);
  }

  function(node, scope) {
    let up = scope;
    if (node.type === 'FunctionExpression' && node.id) {
      up = new Scope('block', scope, scope.owner);
      up.declare(node.id.name, 'function', node, node);
    }
    const inner = this.open(node, 'function', up, node);
    this.outer.set(node, new Map());
    for (const param of node.params) for (const name of patternNames(param)) inner.declare(name, 'param', param);
    for (const param of node.params) this.pattern(param, inner);
    if (node.body.type !== 'BlockStatement') { this.walk(node.body, inner); return; }
    for (const child of node.body.body) this.vars(child, inner);
    this.hoist(node.body.body, inner);
    for (const child of node.body.body) this.walk(child, inner);
  }

  markThis(scope) {
    const arrows = [];
    for (let s = scope; s !== null; s = s.up) {
      const isField = s.kind === 'static' && s.owner.type === 'PropertyDefinition';
      if (s.kind === 'function' && s.owner.type === 'ArrowFunctionExpression') arrows.push(s.owner);
      else if (isField || s.kind === 'function') {
        if (!isField) this.uses.set(s.owner, true);
        for (const arrow of arrows) this.lexical.add(arrow);
        return;
      }
    }
  }

  resolve() {
    for (const { name, scope, write, holds, calls } of this.references) {
      const binding = scope.find(name);
      if (binding === null) continue;
      if (write) binding.assigned = true;
      if (holds) binding.holds = true;
      if (!write && !calls) binding.isValue = true;
      const user = scope.owner;
      if (binding.scope.owner !== user && this.outer.has(user)) {
        binding.captured = true;
        binding.seen = Math.min(binding.seen, user.type === 'FunctionDeclaration' ? 0 : user.start);
        this.outer.get(user).set(name, binding);
      }
    }
  }
}

module.exports = { Scopes, isFunction, kids, patternNames };
