// Where scopes end: what the last line of a block wrote is told while its names can still be read.
'use strict';

const { kids, patternNames } = require('./scopes.js');
const { unwrapped } = require('./dirty.js');

const JUMPS = new Set(['ReturnStatement', 'ThrowStatement', 'BreakStatement', 'ContinueStatement']);

/** The names of a scope's own, with the texts that read them. */
function ownNames(view) {
  return view.shown.filter(([name]) => view.declared.has(name) && view.scope.names.get(name).kind !== 'function');
}

/** May a piece of the program write one of these names, or an object? */
function touches(it, node, names, view) {
  return node !== null && node !== undefined && (it.isDirty(node, view) || writes(node, names));
}

function writes(node, names) {
  switch (node.type) {
    case 'AssignmentExpression': if (patternNames(unwrapped(node.left)).some((name) => names.has(name))) return true; break;
    case 'UpdateExpression': if (patternNames(unwrapped(node.argument)).some((name) => names.has(name))) return true; break;
    case 'VariableDeclarator': if (patternNames(node.id).some((name) => names.has(name))) return true; break;
    case 'ForOfStatement': case 'ForInStatement': if (patternNames(node.left).some((name) => names.has(name))) return true; break;
    case 'ClassDeclaration': if (node.id && names.has(node.id.name)) return true; break;
  }
  return kids(node).some((child) => writes(child, names));
}

/** The call that tells names before they are gone. */
function call(it, view, shown) {
  const slots = shown.map(([name]) => it.slot(view.fn, name));
  const site = { line: 0, slots, set: -1, dirty: false, hidden: [], fn: view.fn, id: it.options.firstSite + it.sites.length };
  it.sites.push(site);
  return `${it.hook}.b(${it.frame},${site.id}${shown.map(([, text]) => `,${text}`).join('')})`;
}

/** After a list of statements, when its scope ends: the names that its last line may have written. */
function end(it, list, view) {
  const shown = ownNames(view), last = list.findLast((node) => node.type !== 'EmptyStatement');
  if (shown.length === 0 || last === undefined || JUMPS.has(last.type)) return;
  const names = new Set(shown.map(([name]) => name)), line = last.loc.start.line;
  const tail = list.filter((node) => node.loc.end.line >= line);
  const isCaptured = shown.some(([name]) => { const { captured, assigned } = view.scope.names.get(name); return captured && assigned; });
  if (isCaptured || tail.some((node) => touches(it, node, names, view))) it.text.close(last.end, `;${call(it, view, shown)};`);
}

/** Before a `break` or `continue` that has no step of its own: the names of the scopes that it leaves. */
function jump(it, node, view, leavesLoop) {
  const shown = [];
  for (let v = view; v !== null && (v.loop === null || leavesLoop); v = v.up) {
    for (const pair of ownNames(v)) if (!shown.some(([name]) => name === pair[0])) shown.push(pair);
    if (v.loop !== null) break;
  }
  if (shown.length > 0) it.text.open(node.start, `${call(it, view, shown)};`);
}

/** Around the test of a `for`: where it fails, what the loop's head wrote last. */
function test(it, node, view) {
  const shown = node.test ? ownNames(view) : [], names = new Set(shown.map(([name]) => name));
  if (shown.length === 0 || ![node.update, node.test].some((part) => touches(it, part, names, view))) return null;
  return call(it, view, shown);
}

module.exports = { end, jump, test };
