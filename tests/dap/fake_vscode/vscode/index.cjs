// The part of VS Code's interface that the extension uses. A script says what the user does, and reads what was done.
// It is found by NODE_PATH. Nothing here knows worldline.
'use strict';

const { readFileSync } = require('node:fs');
const path = require('node:path');

class Uri {
  constructor(fsPath, scheme = 'file') { this.fsPath = fsPath; this.scheme = scheme; }
  static file(fsPath) { return new Uri(fsPath); }
  toString() { return `${this.scheme}://${this.fsPath}`; }
}
class Range {
  constructor(line, column, endLine, endColumn) {
    this.start = { line, character: column };
    this.end = { line: endLine, character: endColumn };
  }
}
class CodeLens { constructor(range, command) { this.range = range; this.command = command; } }
class DebugAdapterExecutable {
  constructor(command, args, options) { this.command = command; this.args = args; this.options = options; }
}

/** What a script sets (folder, settings, extensions, answers) and reads (messages, boxes, started). */
const state = {
  folder: undefined, settings: {}, extensions: {}, symbols: [], answer: (box) => box.value, choice: undefined,
  messages: [], boxes: [], started: [], executed: [], clipboard: '', commands: {}, lenses: [], providers: {}, factories: {},
};
const memory = new Map();
const context = {
  subscriptions: [],
  workspaceState: {
    get: (key, otherwise) => (memory.has(key) ? memory.get(key) : otherwise),
    update: async (key, value) => { memory.set(key, value); },
  },
};

function document(file, { languageId = 'python', text, isUntitled = false } = {}) {
  return {
    uri: isUntitled ? new Uri(file, 'untitled') : Uri.file(file),
    languageId, isUntitled, isDirty: false,
    getText: () => text ?? readFileSync(file, 'utf8'),
    save: async () => true,
  };
}

/** Puts the cursor somewhere. */
function cursor(file, line, options) {
  module.exports.window.activeTextEditor = { document: document(file, options), selection: { active: { line } } };
}

const shown = (kind) => async (text, ...actions) => {
  state.messages.push({ kind, text, actions });
  return state.choice;
};
const registered = (table) => (type, value) => { table[type] = value; return { dispose() {} }; };

module.exports = {
  Uri, Range, CodeLens, DebugAdapterExecutable, SymbolKind: { Method: 5, Function: 11 },
  commands: {
    registerCommand: registered(state.commands),
    executeCommand: async (name, ...words) => {
      state.executed.push([name, ...words]);
      return name === 'vscode.executeDocumentSymbolProvider' ? state.symbols : state.commands[name]?.(...words);
    },
  },
  debug: {
    registerDebugConfigurationProvider: registered(state.providers),
    registerDebugAdapterDescriptorFactory: registered(state.factories),
    // As VS Code: the provider completes the configuration or ends the session, then the factory says what to start.
    startDebugging: async (workspaceFolder, wanted) => {
      const configuration = await state.providers.worldline.resolveDebugConfiguration(workspaceFolder, wanted);
      if (!configuration) return false;
      const descriptor = await state.factories.worldline.createDebugAdapterDescriptor({ workspaceFolder, configuration });
      state.started.push({ configuration, descriptor });
      return true;
    },
  },
  env: { clipboard: { writeText: async (text) => { state.clipboard = text; } } },
  extensions: { getExtension: (id) => state.extensions[id] },
  languages: { registerCodeLensProvider: (selector, provider) => { state.lenses.push({ selector, provider }); return { dispose() {} }; } },
  window: {
    activeTextEditor: undefined,
    showErrorMessage: shown('error'),
    showInformationMessage: shown('information'),
    showInputBox: async (box) => { state.boxes.push(box); return state.answer(box); },
  },
  workspace: {
    getConfiguration: (section) => ({ get: (name, otherwise) => state.settings[`${section}.${name}`] ?? otherwise }),
    getWorkspaceFolder: (uri) => {
      const isInside = state.folder && uri.scheme === 'file' && !path.relative(state.folder, uri.fsPath).startsWith('..');
      return isInside ? { uri: Uri.file(state.folder) } : undefined;
    },
    openTextDocument: async (uri) => document(uri.fsPath),
  },
  fake: { context, cursor, document, state },
};
