// Commands, code lenses and the debug adapter of worldline. All work is done by `worldline dap`.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');
const { adapterCommand, interpreter, usable } = require('./interpreter');
const outline = require('./outline');

const TYPE = 'worldline';
const FUNCTION_KINDS = () => [vscode.SymbolKind.Function, vscode.SymbolKind.Method];

function activate(context) {
  const predict = (...where) => predictFunction(context, ...where);
  context.subscriptions.push(
    vscode.commands.registerCommand('worldline.predictFunction', predict),
    vscode.commands.registerCommand('worldline.traceTest', traceTest),
    vscode.languages.registerCodeLensProvider({ language: 'python' }, { provideCodeLenses }),
    vscode.debug.registerDebugConfigurationProvider(TYPE, { resolveDebugConfiguration }),
    vscode.debug.registerDebugAdapterDescriptorFactory(TYPE, { createDebugAdapterDescriptor }),
  );
}

/** Asks for the call of the function at the cursor, and starts a session that predicts it. */
async function predictFunction(context, uri, line) {
  const place = await placeOf(uri, line);
  if (!place) return;
  const { document } = place;
  const target = await functionAt(document, place.line);
  if (!target) {
    vscode.window.showInformationMessage('worldline: there is no function at the cursor. Put it inside one.');
    return;
  }
  const key = `call ${document.uri} ${target.path.join('.')}`;
  const value = context.workspaceState.get(key, target.template);
  const call = await vscode.window.showInputBox({
    title: `Predict ${target.path.join('.')}`,
    prompt: `The call with its arguments. Signature: ${target.template}`,
    value,
    valueSelection: argumentSpan(value),
    validateInput: (text) => problemOf(text, target),
  });
  if (!call || !(await saved(document))) return;
  await context.workspaceState.update(key, call);
  const model = vscode.workspace.getConfiguration(TYPE, document.uri).get('model');
  await start(document, {
    name: `Predict ${call}`,
    ...programOf(document, target),
    call,
    ...(model ? { model } : {}),
    stopOnEntry: true,
  });
}

/** Where the arguments of the last call in a text are; its end, if it does not end with a call. */
function argumentSpan(text) {
  let depth = 0;
  for (let at = text.length - 1; at >= 0 && text.endsWith(')'); at -= 1) {
    if (text[at] === ')') depth += 1;
    if (text[at] === '(') depth -= 1;
    if (depth === 0) return [at + 1, text.length - 1];
  }
  return [text.length, text.length];
}

function problemOf(text, target) {
  if (!text.trim()) return 'A call such as f(\'ab\', 3)';
  const isUnchanged = text.trim() === target.template && !/\(\)$|^[^(]*$/.test(target.template);
  return isUnchanged ? 'Replace the names of the parameters by values' : undefined;
}

/** Records the test at the cursor, and starts a session at its failure, or at its start. */
async function traceTest(uri, line) {
  const place = await placeOf(uri, line);
  if (!place) return;
  const { document } = place;
  const test = outline.testAt(document.getText(), place.line);
  const folder = vscode.workspace.getWorkspaceFolder(document.uri);
  if (!test || !folder) {
    const why = test ? 'its file is in no folder of this workspace' : 'there is none at the cursor';
    vscode.window.showInformationMessage(`worldline: no test to trace: ${why}.`);
    return;
  }
  if (!(await saved(document))) return;
  const facts = await usable(document.uri);
  if (!facts) return;
  const file = path.relative(folder.uri.fsPath, document.uri.fsPath).split(path.sep).join('/');
  const id = await testId([file, ...test.path].join('::'), test);
  if (!id) return;
  await start(document, {
    name: `Trace ${id}`,
    pytest: `${folder.uri.fsPath}::${id}`,
    ...(facts.venv ? { venv: facts.venv } : {}),
  });
}

/** The id of a test. One with parameters has several: the user says which. */
async function testId(id, test) {
  if (!test.decorators.some((one) => /\bparametrize\b/.test(one))) return id;
  return vscode.window.showInputBox({
    title: `Trace ${test.name}`,
    prompt: 'The id of the case, as `pytest --collect-only -q` prints it',
    value: `${id}[]`,
    valueSelection: [id.length + 1, id.length + 1],
  });
}

/** The document and line that a command is about: those of its code lens, or of the cursor. */
async function placeOf(uri, line) {
  if (uri instanceof vscode.Uri && typeof line === 'number') {
    return { document: await vscode.workspace.openTextDocument(uri), line };
  }
  const editor = vscode.window.activeTextEditor;
  return editor && { document: editor.document, line: editor.selection.active.line };
}

/** The function at a line: its path and a call to fill in. Languages other than Python ask their own extension. */
async function functionAt(document, line) {
  if (document.languageId === 'python') {
    const found = outline.callableAt(document.getText(), line);
    return found && { path: found.path, template: outline.callTemplate(found) };
  }
  const symbols = await vscode.commands.executeCommand('vscode.executeDocumentSymbolProvider', document.uri);
  const name = symbolAt(symbols || [], line);
  return name && { path: [name], template: `${name}()` };
}

function symbolAt(symbols, line) {
  for (const symbol of symbols) {
    const range = symbol.range || symbol.location.range;
    if (range.start.line > line || line > range.end.line) continue;
    const inner = symbolAt(symbol.children || [], line);
    if (inner) return inner;
    if (FUNCTION_KINDS().includes(symbol.kind)) return symbol.name.replace(/\(.*/s, '');
  }
  return undefined;
}

/** How the adapter finds a program: a file, a module of its package, or the text of an unsaved document. */
function programOf(document, target) {
  if (document.isUntitled) return { source: document.getText(), language: document.languageId };
  const file = document.uri.fsPath;
  if (document.languageId !== 'python' || !outline.importsRelatively(document.getText())) return { program: file };
  let folder = path.dirname(file);
  const names = [path.basename(file, '.py')];
  while (fs.existsSync(path.join(folder, '__init__.py')) && path.dirname(folder) !== folder) {
    names.unshift(path.basename(folder));
    folder = path.dirname(folder);
  }
  return { program: folder, entry: `${names.join('.')}:${target.path[0]}` };
}

async function saved(document) {
  return document.isUntitled || !document.isDirty || document.save();
}

function start(document, configuration) {
  const folder = vscode.workspace.getWorkspaceFolder(document.uri);
  return vscode.debug.startDebugging(folder, { type: TYPE, request: 'launch', ...configuration });
}

/** A lens above every function that can be called, and above every test of a test file. */
function provideCodeLenses(document) {
  if (!vscode.workspace.getConfiguration(TYPE, document.uri).get('codeLens', true)) return [];
  const isTestFile = /^(test_.*|.*_test)\.py$/.test(path.basename(document.uri.fsPath));
  return outline.definitions(document.getText()).filter(outline.isCallable).map((one) => {
    const isTest = isTestFile && outline.isTest(one);
    return new vscode.CodeLens(new vscode.Range(one.line, 0, one.line, 0), {
      title: isTest ? 'Trace with worldline' : 'Predict with worldline',
      command: isTest ? 'worldline.traceTest' : 'worldline.predictFunction',
      arguments: [document.uri, one.line],
    });
  });
}

/** Completes a configuration, and stops before a session that cannot start; undefined ends it without an error. */
async function resolveDebugConfiguration(folder, configuration) {
  const isEmpty = !configuration.type && !configuration.request;
  const resolved = isEmpty
    ? { type: TYPE, request: 'launch', name: 'Predict this file', program: '${file}', stopOnEntry: true }
    : configuration;
  if (resolved.debugServer) return resolved;
  return (await usable(folder?.uri)) ? resolved : undefined;
}

async function createDebugAdapterDescriptor(session) {
  const { command, args } = adapterCommand(await interpreter(session.workspaceFolder?.uri));
  return new vscode.DebugAdapterExecutable(command, args, { cwd: session.workspaceFolder?.uri.fsPath });
}

module.exports = { activate };
