// What a frame shows at a place of the text: the names that are in scope there and surely have a value.
'use strict';

const BLOCKING = new Set(['let', 'const', 'class', 'catch', 'function']);

/** A scope while its statements are instrumented. */
class View {
  constructor(it, fn, scope, up) {
    this.it = it;
    this.fn = fn;
    this.scope = scope;
    this.up = up; // within the same function
    this.shown = [];
    this.loop = null;
    this.finals = this.closes = this.noThis = false;
    this.declared = new Set();
    if (scope !== null && (up === null || up.scope !== scope)) {
      for (const [name, binding] of scope.names) {
        if (BLOCKING.has(binding.kind)) this.declared.add(name);
        if (binding.kind === 'function' && scope.kind !== 'switch') this.shown.push([name, name]);
        if (binding.kind === 'var') this.hoisted(name, binding.shadowed);
      }
    }
  }

  /** A `var`: absent until it has a value, also behind a scope that has a name of its own like it. */
  hoisted(name, shadowed) {
    const k = this.it.slot(this.fn, name);
    this.fn.hoisted[k] = 1;
    this.shown.push([name, shadowed ? `(${name}===void 0?${this.it.hook}.n:${name})` : name]);
  }

  /** A scope inside this one; that of `node`, or one that declares nothing. */
  inner(node) {
    return new View(this.it, this.fn, node === null ? this.scope : this.it.scopes.at.get(node) ?? this.scope, this);
  }

  /** From here on a name has a value. */
  show(name, text) {
    if (!this.shown.some(([other]) => other === name)) this.shown.push([name, text ?? name]);
  }

  /** Names and the texts that read them, in the order of their slots. */
  visible() {
    const found = new Map(), blocked = new Set();
    let noThis = false;
    for (let view = this; view !== null; view = view.up) {
      for (const [name, text] of view.shown) if (!blocked.has(name) && !(noThis && name === 'this') && !found.has(name)) found.set(name, text);
      for (const name of view.declared) blocked.add(name);
      noThis ||= view.noThis;
    }
    const slots = new Map([...found.keys()].map((name) => [name, this.it.slot(this.fn, name)]));
    return [...found].sort((a, b) => slots.get(a[0]) - slots.get(b[0]));
  }

  /** Does something of the program's run between a `return` here and the frame's end? */
  late() {
    for (let view = this; view !== null; view = view.up) if (view.finals || view.closes) return true;
    return false;
  }

  /** The block that is one round of the loop that a `continue` goes on with; null where the loop's head tells its line itself. */
  roundOf(label) {
    for (let view = this; view !== null; view = view.up) {
      if (view.loop !== null && (label === null || view.loop.labels.includes(label))) return view.loop.round;
    }
    return null;
  }
}

/** Would names clash if a function's body were put into a block? */
function conflicts(list) {
  const names = new Set();
  const functions = list.filter((node) => node.type === 'FunctionDeclaration' && node.id).map((node) => node.id.name);
  for (const name of functions) {
    if (names.has(name)) return true;
    names.add(name);
  }
  return names.size > 0 && list.some((node) => declares(node, names));
}

function declares(node, names) {
  if (!node || typeof node.type !== 'string' || /Function/.test(node.type) || node.type === 'StaticBlock' || node.type === 'PropertyDefinition') return false;
  if (node.type === 'VariableDeclaration' && node.kind === 'var') {
    if (node.declarations.some((part) => has(part.id, names))) return true;
  }
  return Object.values(node).some((child) => (Array.isArray(child) ? child.some((each) => each && declares(each, names)) : child && typeof child === 'object' && declares(child, names)));
}

function has(pattern, names) {
  if (!pattern || typeof pattern.type !== 'string') return false;
  if (pattern.type === 'Identifier') return names.has(pattern.name);
  return Object.values(pattern).some((child) => (Array.isArray(child) ? child.some((each) => has(each, names)) : child && typeof child === 'object' && has(child, names)));
}

module.exports = { View, conflicts };
