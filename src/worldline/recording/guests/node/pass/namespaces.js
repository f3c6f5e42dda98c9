// TypeScript's namespaces, as functions that are called where they stand: no line is added, and what is exported is a
// property of the namespace's object beside the name. A variable that is exported and changes later would need a second place.
'use strict';

const { patternNames } = require('./scopes.js');

/** Is there anything in a namespace but types? */
function hasValues(node, isType) {
  if (node.type !== 'TSModuleDeclaration') return !isType(node) && node.type !== 'EmptyStatement';
  if (node.declare) return false;
  const list = node.body.type === 'TSModuleBlock' ? node.body.body : [node.body];
  return list.some((each) => hasValues(each.type === 'ExportNamedDeclaration' && each.declaration ? each.declaration : each, isType));
}

/** A namespace, opened and closed on its own lines; `around` is the one around it that exports it, `declared` whether its name is. */
function namespace(it, node, around, declared) {
  const name = node.id.name, { body } = node;
  const object = around === null ? `${name}||(${name}={})` : `${name}=${around}.${name}||(${around}.${name}={})`;
  it.inserts.push([node.start, `${declared ? ';' : `var ${name};`}(function ${name}(${name}){`]);
  it.inserts.push([node.end, `})(${object});`]);
  it.blank(node.start, body.type === 'TSModuleBlock' ? body.start + 1 : body.start);
  if (body.type === 'TSModuleBlock') {
    it.blank(body.end - 1, body.end);
    members(it, body, name);
  } else namespace(it, body, name, false);
}

function members(it, body, name) {
  const hoisted = [];
  for (const node of body.body) {
    if (node.type !== 'ExportNamedDeclaration') it.visit(node, body, 'body');
    else if (node.declaration) exported(it, node, body, name, hoisted);
    else it.refuse(node, '`export {...}` in a namespace');
  }
  if (hoisted.length > 0) it.inserts.push([body.start + 1, hoisted.map((each) => `${name}.${each}=${each};`).join('')]);
}

/** One exported member: declared as it is, and put into the object where it gets its value. */
function exported(it, node, body, name, hoisted) {
  const what = node.declaration;
  it.blank(node.start, what.start);
  if (what.type === 'TSModuleDeclaration') { it.TSModuleDeclaration(what, body, 'body', name); return; }
  it.visit(what, node, 'declaration');
  if (it.isType(what)) return;
  if (what.type === 'FunctionDeclaration' && what.body) hoisted.push(what.id.name);
  else if (what.type === 'ClassDeclaration') {
    it.inserts.push([what.start, `let ${what.id.name}=${name}.${what.id.name}=`], [what.end, ';']);
  } else if (what.type === 'TSEnumDeclaration') it.inserts.push([what.end, `${name}.${what.id.name}=${what.id.name};`]);
  else if (what.type === 'VariableDeclaration') variables(it, what, name);
}

function variables(it, node, name) {
  for (const part of node.declarations) {
    const names = patternNames(part.id);
    if (node.kind !== 'const') for (const each of names) constant(it, node, part, each, name);
    if (part.id.type === 'Identifier') {
      if (part.init) it.inserts.push([part.init.start, `${name}.${part.id.name}=`]);
    } else it.inserts.push([node.end, `;${names.map((each) => `${name}.${each}=${each};`).join('')}`]);
  }
}

/** Refuses a variable that something is assigned to later: its property would not follow. */
function constant(it, node, part, each, name) {
  const rest = it.source.slice(0, part.start) + it.source.slice(part.end);
  const word = each.replace(/\$/g, '\\$'), assign = '(?:[-+*/%&|^]|<<|>>>?|\\*\\*|&&|\\|\\||\\?\\?)?=(?![=>])';
  const changes = new RegExp(`(?<![\\w$.]|${name}\\.)(?:${name}\\.)?${word}\\s*(?:${assign}|\\+\\+|--)|(?:\\+\\+|--)\\s*(?:${name}\\.)?${word}(?![\\w$])`);
  if (changes.test(rest)) it.refuse(node, `\`${each}\`, which a namespace exports and which changes`);
}

module.exports = { namespace, hasValues };
