// The functions and classes of a Python source, read from its lines alone, also while it does not parse.
// Strings and comments are blanked, brackets join lines, and indentation closes blocks.
'use strict';

const DEFINITION = /^(?:async[ \t]+)?def[ \t]+([\p{L}_][\p{L}\p{N}_]*)/u;
const CLASS = /^class[ \t]+([\p{L}_][\p{L}\p{N}_]*)/u;
const OPENING = '([{';
const CLOSING = ')]}';

/**
 * The definitions of a source in the order of their first lines. Lines count from 0.
 *
 * `path` holds the names of the definitions around it and its own; `isClass` says what it is; `first` is its first
 * decorator's line, `line` that of its name, `last` its last line. Functions have `parameters`, classes `bases`.
 */
function definitions(text) {
  const found = [];
  const open = [];
  let decorators = [];
  for (const statement of statements(text)) {
    while (open.length && statement.indent <= open[open.length - 1].indent) open.pop();
    for (const outer of open) outer.last = statement.last;
    if (statement.code.startsWith('@')) {
      decorators.push(statement);
      continue;
    }
    const match = DEFINITION.exec(statement.code) || CLASS.exec(statement.code);
    if (match) {
      const isClass = statement.code.startsWith('class');
      const definition = {
        path: [...open.map((outer) => outer.name), match[1]],
        around: open.slice(),
        name: match[1],
        isClass,
        indent: statement.indent,
        first: decorators.length ? decorators[0].first : statement.first,
        line: statement.first,
        last: statement.last,
        decorators: decorators.map((one) => one.code.slice(1).trim()),
        [isClass ? 'bases' : 'parameters']: bracketed(statement.code, match[0].length),
      };
      found.push(definition);
      open.push(definition);
    }
    decorators = [];
  }
  return found;
}

/** The statements of a source: their indentation, lines, and code on one line without strings and comments. */
function* statements(text) {
  let line = 0;
  let at = 0;
  while (at < text.length) {
    const first = line;
    const start = at;
    let depth = 0;
    let code = '';
    let last = line;
    for (; at < text.length; at += 1) {
      const char = text[at];
      if (char === '#') {
        while (at + 1 < text.length && text[at + 1] !== '\n') at += 1;
      } else if (char === '"' || char === "'") {
        const end = stringEnd(text, at);
        line += newlines(text, at, end);
        at = end - 1;
        code += "''";
        last = line;
      } else if (char === '\\' && /^\\\r?\n/.test(text.slice(at, at + 3))) {
        at = text.indexOf('\n', at);
        line += 1;
        code += ' ';
      } else if (char === '\n') {
        line += 1;
        if (depth === 0) break;
        code += ' ';
      } else {
        if (OPENING.includes(char)) depth += 1;
        if (CLOSING.includes(char)) depth = Math.max(0, depth - 1);
        code += char;
        if (/\S/.test(char)) last = line;
      }
    }
    at += 1;
    if (code.trim()) yield { indent: indentation(text, start), first, last, code: code.trim() };
  }
}

/** The position after a string that starts at a quote. An open string of one line ends with its line. */
function stringEnd(text, at) {
  const quote = text[at];
  const fence = text.startsWith(quote.repeat(3), at) ? quote.repeat(3) : quote;
  for (let end = at + fence.length; end < text.length; end += 1) {
    if (text[end] === '\\') end += 1;
    else if (text.startsWith(fence, end)) return end + fence.length;
    else if (text[end] === '\n' && fence.length === 1) return end;
  }
  return text.length;
}

function newlines(text, from, to) {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Columns before the first character of a line; a tab goes to the next multiple of eight. */
function indentation(text, start) {
  let columns = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === ' ') columns += 1;
    else if (text[at] === '\t') columns += 8 - (columns % 8);
    else if (text[at] === '\f') columns = 0;
    else break;
  }
  return columns;
}

/** The parts between the brackets after a name, split at their commas. */
function bracketed(code, from) {
  const start = code.indexOf('(', from);
  const parts = [];
  let depth = 0;
  let part = '';
  for (let at = start; start >= 0 && at < code.length; at += 1) {
    const char = code[at];
    if (CLOSING.includes(char)) depth -= 1;
    if (depth === 0 && at > start) break;
    if (depth === 1 && char === ',') {
      parts.push(part.trim());
      part = '';
    } else if (at > start) part += char;
    if (OPENING.includes(char)) depth += 1;
  }
  return [...parts, part.trim()].filter(Boolean);
}

/** The innermost definitions at a line, from the inside out. */
function around(text, line) {
  return definitions(text).filter((one) => one.first <= line && line <= one.last).reverse();
}

/** The function at a line that a call can name: not one inside another function. */
function callableAt(text, line) {
  return around(text, line).find(isCallable);
}

function isCallable(definition) {
  return !definition.isClass && definition.around.every((outer) => outer.isClass);
}

/** The test at a line, as pytest finds it: a function or a method of a test class whose name starts with `test`. */
function testAt(text, line) {
  return around(text, line).find(isTest);
}

function isTest(definition) {
  return isCallable(definition) && definition.name.startsWith('test') && definition.around.every(isTestClass);
}

function isTestClass(definition) {
  return definition.name.startsWith('Test') || definition.bases.some((base) => base.endsWith('TestCase'));
}

/** A call to fill in: the names of the parameters that need a value, in their places. */
function callTemplate(definition) {
  const isStatic = definition.decorators.some((one) => /^(static|class)method\b/.test(one));
  const isMethod = definition.around.length > 0;
  const placed = isMethod && !definition.decorators.includes('staticmethod') ? 1 : 0;
  const needed = [];
  let isKeyword = false;
  for (const parameter of definition.parameters.slice(placed)) {
    const name = /^[\p{L}\p{N}_]+/u.exec(parameter);
    if (parameter.startsWith('*')) isKeyword = true;
    else if (name && !withoutBrackets(parameter).includes('=')) needed.push(isKeyword ? `${name[0]}=` : name[0]);
  }
  const owner = definition.path.slice(0, -1).join('.');
  const target = isMethod ? `${owner}${isStatic ? '' : '()'}.${definition.name}` : definition.name;
  const isProperty = definition.decorators.some((one) => /^(functools\.)?(cached_)?property$/.test(one));
  return isProperty ? target : `${target}(${needed.join(', ')})`;
}

function withoutBrackets(text) {
  let depth = 0;
  return [...text].filter((char) => {
    if (CLOSING.includes(char)) depth -= 1;
    const isOutside = depth === 0;
    if (OPENING.includes(char)) depth += 1;
    return isOutside;
  }).join('');
}

/** Whether a source imports from its own package, so that it must be executed as part of it. */
function importsRelatively(text) {
  return [...statements(text)].some(({ code }) => /^from[ \t]*\./.test(code));
}

module.exports = { callTemplate, callableAt, definitions, importsRelatively, isCallable, isTest, testAt };
