// TypeScript into JavaScript of the same length: what is only a type becomes blanks, so that lines and columns stay.
// What is more than a type (enums, parameter properties, namespaces) is rewritten on its own line where that is simple.
'use strict';

const { blanked } = require('./splice.js');
const { namespace, hasValues } = require('./namespaces.js');

class Refusal extends Error {
  constructor(message, line) {
    super(message);
    this.loc = { line };
  }
}

let parser = null;

/** The parser: acorn with its TypeScript plugin, which is an ES module and is read as a script here. */
function parserOf(load) {
  if (parser !== null) return parser;
  const acorn = load('vendor/acorn.js');
  const { tsPlugin } = load('vendor/acorn-typescript.js');
  parser = acorn.Parser.extend(tsPlugin());
  return parser;
}

const ONLY_TYPES = new Set([
  'TSTypeAnnotation', 'TSTypeParameterDeclaration', 'TSTypeParameterInstantiation', 'TSInterfaceDeclaration', 'TSTypeAliasDeclaration',
  'TSDeclareFunction', 'TSAbstractMethodDefinition', 'TSAbstractPropertyDefinition', 'TSIndexSignature', 'TSDeclareMethod', 'TSNamespaceExportDeclaration',
]);

class Stripper {
  constructor(source, tree, tokens) {
    this.source = source;
    this.tree = tree;
    this.tokens = tokens;
    this.blanks = [];
    this.inserts = []; // [place, text]: only where something is built at run time
    for (const node of tree.body) this.visit(node, null, 'body');
  }

  result() {
    let out = blanked(this.source, this.blanks);
    for (const [place, text] of this.inserts.sort((a, b) => b[0] - a[0])) out = out.slice(0, place) + text + out.slice(place);
    return out;
  }

  blank(start, end) { this.blanks.push([start, end]); }

  /** Blanks a whole statement; a semicolon keeps it apart from what follows. */
  drop(node) { this.blank(node.start, node.end); }

  /** The modifier words between two places (`private`, `readonly`, `declare`, `?`, `!`). */
  words(start, end, words) {
    for (const token of this.tokens) {
      if (token.start < start || token.end > end) continue;
      const text = this.source.slice(token.start, token.end);
      if (words.includes(text)) this.blank(token.start, token.end);
    }
  }

  visit(node, parent, key) {
    if (!node || typeof node.type !== 'string') return;
    if (ONLY_TYPES.has(node.type) || node.declare === true) { this.drop(node); return; }
    const method = this[node.type];
    if (method !== undefined) { if (method.call(this, node, parent, key) === false) return; }
    for (const name of Object.keys(node)) {
      if (name === 'loc' || name === 'parent') continue;
      const child = node[name];
      if (Array.isArray(child)) for (const each of child) this.visit(each, node, name);
      else if (child && typeof child === 'object') this.visit(child, node, name);
    }
  }

  // ---- expressions

  TSAsExpression(node) { return this.keep(node); }
  TSSatisfiesExpression(node) { return this.keep(node); }
  TSNonNullExpression(node) { return this.keep(node); }
  TSInstantiationExpression(node) { return this.keep(node); }

  keep(node) {
    this.visit(node.expression, node, 'expression');
    this.blank(node.expression.end, node.end);
    return false;
  }

  TSTypeAssertion(node) {
    this.blank(node.start, node.expression.start);
    this.visit(node.expression, node, 'expression');
    return false;
  }

  TSParameterProperty(node) { this.visit(node.parameter, node, 'parameter'); return false; }

  // ---- declarations

  ImportDeclaration(node) {
    if (node.importKind === 'type') { this.drop(node); return false; }
    this.specifiers(node.specifiers.filter((each) => each.type === 'ImportSpecifier' && each.importKind === 'type'), node);
    this.unused(node);
    return true;
  }

  /** An import that no expression uses is one of types: TypeScript leaves it out, and so do we. */
  unused(node) {
    const gone = node.specifiers.filter((each) => !this.isUsed(each.local.name, node));
    if (node.specifiers.length > 0 && gone.length === node.specifiers.length) this.drop(node);
    else this.specifiers(gone.filter((each) => each.type === 'ImportSpecifier'), node);
  }

  isUsed(name, node) {
    const text = this.source.slice(0, node.start) + this.source.slice(node.end);
    return new RegExp(`(?<![\\w$.])${name.replace(/\$/g, '\\$')}(?![\\w$])`).test(text);
  }

  specifiers(list, node) {
    for (const each of list) {
      let end = each.end;
      const rest = /^\s*,/.exec(this.source.slice(end, node.end));
      if (rest) end += rest[0].length;
      this.blank(each.start, end);
    }
  }

  ExportNamedDeclaration(node) {
    const what = node.declaration;
    const only = what && (this.isType(what) || (what.type === 'TSModuleDeclaration' && !hasValues(what, (each) => this.isType(each))));
    if (node.exportKind === 'type' || only) { this.drop(node); return false; }
    this.specifiers((node.specifiers ?? []).filter((each) => each.exportKind === 'type'), node);
    return true;
  }

  ExportDefaultDeclaration(node) {
    if (node.declaration && ONLY_TYPES.has(node.declaration.type)) { this.drop(node); return false; }
    return true;
  }

  VariableDeclarator(node) {
    if (node.definite) this.words(node.start, node.init ? node.init.start : node.end, ['!']);
    return true;
  }

  Identifier(node) {
    if (node.optional && node.typeAnnotation) this.words(node.start, node.typeAnnotation.start, ['?']);
    else if (node.optional) this.words(node.start, node.end, ['?']);
    return true;
  }

  /** A parameter `this`, which is a type only; and bodies that are not there. */
  functionLike(node) {
    const first = node.params[0];
    if (first && first.type === 'Identifier' && first.name === 'this') {
      const comma = /^\s*,/.exec(this.source.slice(first.end));
      this.blank(first.start, first.end + (comma ? comma[0].length : 0));
    }
    return true;
  }

  FunctionDeclaration(node) {
    if (!node.body) { this.drop(node); return false; }
    return this.functionLike(node);
  }

  FunctionExpression(node) { return this.functionLike(node); }

  ClassDeclaration(node) { return this.class(node); }
  ClassExpression(node) { return this.class(node); }

  class(node) {
    if (node.abstract) this.words(node.start, node.body.start, ['abstract']);
    if (node.implements && node.implements.length > 0) {
      const words = this.tokens.filter((token) => token.end <= node.implements[0].start && token.start >= node.start && this.source.slice(token.start, token.end) === 'implements');
      this.blank(words[words.length - 1].start, node.implements[node.implements.length - 1].end);
    }
    for (const member of node.body.body) if (member.type === 'MethodDefinition' && member.kind === 'constructor') this.properties(member, node);
    return true;
  }

  /** `constructor(private x: number)`: the assignment is put at the start of the body, on its line. */
  properties(member, node) {
    const { value } = member;
    if (!value || !value.body) return;
    const names = [];
    for (const param of value.params) {
      if (param.type !== 'TSParameterProperty') continue;
      const inner = param.parameter.type === 'AssignmentPattern' ? param.parameter.left : param.parameter;
      this.blank(param.start, inner.start); // a parameter with a default begins at its modifiers
      names.push(inner.name);
    }
    if (names.length === 0) return;
    this.inserts.push([node.body.start + 1, names.map((name) => `${name};`).join('')]); // declared before the other fields
    const list = value.body.body;
    const place = node.superClass && list.length > 0 ? list[0].end : value.body.start + 1;
    this.inserts.push([place, `${node.superClass ? ';' : ''}${names.map((name) => `this.${name}=${name};`).join('')}`]);
  }

  member(node) {
    if (node.abstract || (node.type === 'MethodDefinition' && node.value && !node.value.body)) { this.drop(node); return false; }
    const end = node.key.start;
    this.words(node.start, end, ['public', 'private', 'protected', 'readonly', 'override', 'declare', 'abstract']);
    const after = node.value ? (node.type === 'MethodDefinition' ? node.value.start : node.value.start) : node.end;
    if (node.optional || node.definite) this.words(node.key.end, node.typeAnnotation ? node.typeAnnotation.start : after, ['?', '!']);
    return true;
  }

  MethodDefinition(node) { return this.member(node); }
  PropertyDefinition(node) { return this.member(node); }

  // ---- more than types

  TSEnumDeclaration(node) {
    const name = node.id.name;
    let text = '', last = null;
    for (const member of node.members) {
      const key = JSON.stringify(member.id.name ?? member.id.value);
      const init = member.initializer;
      const string = init && (init.type === 'Literal' || init.type === 'TemplateLiteral') && typeof (init.value ?? '') === 'string' && init.type !== 'UnaryExpression';
      const value = init ? this.enumValue(init, node) : last === null ? '0' : `${name}[${last}]+1`;
      text += string ? `${name}[${key}]=${value};` : `${name}[${name}[${key}]=${value}]=${key};`;
      last = key;
    }
    this.drop(node);
    this.inserts.push([node.start, `var ${name}=${name}||{};${text}`]);
    return false;
  }

  /** An initialiser, whose names may be earlier members. */
  enumValue(init, node) {
    const around = this.blanks;
    this.blanks = [];
    this.visit(init, node, 'initializer');
    let text = blanked(this.source, this.blanks).slice(init.start, init.end).replace(/\s+/g, ' ');
    this.blanks = around;
    for (const member of node.members) {
      const key = member.id.name;
      if (key) text = text.replace(new RegExp(`(?<![\\w$.'"\`])${key}(?![\\w$'"\`])`, 'g'), `${node.id.name}.${key}`);
    }
    return `(${text})`;
  }

  TSModuleDeclaration(node, parent, key, around = null) {
    if (!hasValues(node, (each) => this.isType(each))) { this.drop(node); return false; }
    const before = (parent?.body ?? this.tree.body).filter((each) => each.end <= node.start).map((each) => each.declaration ?? each);
    namespace(this, node, around, before.some((each) => /^(Class|Function)/.test(each.type) && each.id?.name === node.id.name));
    return false;
  }

  isType(node) { return ONLY_TYPES.has(node.type) || node.declare === true || (node.type === 'FunctionDeclaration' && !node.body); }

  TSImportEqualsDeclaration(node) { this.refuse(node, '`import x = `'); }
  TSExportAssignment(node) { this.refuse(node, '`export = `'); }
  Decorator(node) { this.refuse(node, 'a decorator'); }

  refuse(node, what) {
    throw new Refusal(`${what}: more than types, and not supported; write it as JavaScript has it`, node.loc.start.line);
  }
}

/** JavaScript that stands where the TypeScript stood. */
function strip(source, name, load) {
  const tokens = [];
  const tree = parserOf(load).parse(source, { ecmaVersion: 'latest', sourceType: 'module', locations: true, onToken: tokens, allowReturnOutsideFunction: true, allowHashBang: true });
  return new Stripper(source, tree, tokens).result();
}

module.exports = { strip };
