// The VS Code extension beside a fake editor, a real interpreter and a real adapter. The unpacked extension is given.
// Which scenario to execute, and the paths it needs, are given by pytest.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import support from '@vscode/debugadapter-testsupport';

const config = JSON.parse(process.argv[2]);
const require = createRequire(import.meta.url);
const vscode = require('vscode');
const { context, cursor, document, state } = vscode.fake;
const PREDICT = 'worldline.predictFunction';
const TRACE = 'worldline.traceTest';

require(join(config.extension, 'extension.js')).activate(context);
state.folder = config.folder;
const text = (name) => join(config.folder, name);

/** The Python extension, with an interpreter that the user selected. */
function select(python, isActive = false) {
  const exports = {
    environments: {
      getActiveEnvironmentPath: () => ({ id: 'x', path: python }),
      resolveEnvironment: async ({ path }) => ({ executable: { uri: vscode.Uri.file(path) } }),
    },
  };
  state.extensions['ms-python.python'] = isActive ? { isActive, exports } : { isActive, activate: async () => exports };
}

/** The launched session of a real adapter, as the extension describes it; `act` steps through it. */
async function session({ configuration, descriptor }, act) {
  const script = text('adapter');
  const words = [descriptor.command, ...descriptor.args].map((word) => `'${word}'`).join(' ');
  writeFileSync(script, `cd '${descriptor.options.cwd}' && exec ${words}\n`);
  const client = new support.DebugClient('sh', script, 'worldline', undefined, true);
  client.defaultTimeout = 120000;
  await client.start();
  const unknown = [];
  client.on('output', ({ body }) => { if (/not know|ignored/.test(body.output)) unknown.push(body.output); });
  try {
    const [stopped] = await Promise.all([
      client.waitForEvent('stopped'), client.configurationSequence(), client.launch(configuration),
    ]);
    await act(client, stopped.body.reason);
  } finally {
    await client.stop();
  }
  assert.deepEqual(unknown, []);
}

const scenarios = {
  /** The function at the cursor is predicted: the call is asked for, remembered, and stepped through. */
  async predict() {
    select(config.python);
    state.settings['worldline.model'] = 'interpreter';
    state.answer = (box) => {
      assert.equal(box.value, 'Till.Drawer().total(counts, rate=)');
      assert.match(box.validateInput(box.value), /Replace the names/);
      assert.equal(box.value.slice(...box.valueSelection), 'counts, rate=');
      return 'Till.Drawer().total([1, 2], rate=3)';
    };
    cursor(text('shop.py'), 13);
    await vscode.commands.executeCommand(PREDICT);
    const [first] = state.started;
    assert.equal(first.descriptor.command, config.python);
    await session(first, async (client, reason) => {
      assert.equal(reason, 'entry');
      await Promise.all([client.stepInRequest({ threadId: 1 }), client.waitForEvent('stopped')]);
      const { body: { stackFrames: [top] } } = await client.stackTraceRequest({ threadId: 1 });
      assert.deepEqual([top.source.path, top.name], [text('shop.py'), 'Drawer.total']);
      const { body: { scopes } } = await client.scopesRequest({ frameId: top.id });
      const { variablesReference } = scopes.find((one) => one.name === 'Predicted');
      const { body: { variables } } = await client.variablesRequest({ variablesReference });
      const values = Object.fromEntries(variables.map((one) => [one.name, one.value]));
      assert.deepEqual([values.counts, values.rate], ['[1, 2]', '3']);
    });
    state.answer = (box) => { assert.equal(box.value, 'Till.Drawer().total([1, 2], rate=3)'); return undefined; };
    await vscode.commands.executeCommand(PREDICT);
    assert.equal(state.started.length, 1, 'a box that is closed starts nothing');
  },

  /** A module of a package, an unsaved text and another language: what the adapter is told to execute. */
  async programs() {
    select(config.python, true);
    state.settings['worldline.model'] = 'interpreter';
    state.answer = () => 'run(2)';
    cursor(text('pkg/outer.py'), 3);
    await vscode.commands.executeCommand(PREDICT);
    const { program, entry } = state.started[0].configuration;
    assert.deepEqual([program, entry], [config.folder, 'pkg.outer:run']);
    await session(state.started[0], async (client) => {
      const { body: { stackFrames: [top] } } = await client.stackTraceRequest({ threadId: 1 });
      assert.equal(top.source.path, text('pkg/outer.py'));
    });
    cursor('Untitled-1', 1, { isUntitled: true, text: 'def run(n):\n    return n\n' });
    await vscode.commands.executeCommand(PREDICT);
    assert.deepEqual([state.started[1].configuration.source, state.started[1].configuration.program],
      ['def run(n):\n    return n\n', undefined]);
    state.symbols = [{ name: 'Shop', kind: 4, range: new vscode.Range(0, 0, 9, 0),
      children: [{ name: 'run(int)', kind: vscode.SymbolKind.Method, range: new vscode.Range(2, 0, 4, 0), children: [] }] }];
    cursor(text('Shop.java'), 3, { languageId: 'java', text: '' });
    await vscode.commands.executeCommand(PREDICT);
    assert.deepEqual([state.boxes.at(-1).value, state.started[2].configuration.program], ['run()', text('Shop.java')]);
    cursor(text('Shop.java'), 8, { languageId: 'java', text: '' });
    await vscode.commands.executeCommand(PREDICT);
    assert.match(state.messages.at(-1).text, /no function at the cursor/);
  },

  /** The test at the cursor is recorded with the environment of the interpreter; the session starts at its failure. */
  async trace() {
    select(config.python);
    cursor(text('tests/test_shop.py'), 8);
    await vscode.commands.executeCommand(TRACE);
    const { configuration } = state.started[0];
    assert.deepEqual([configuration.pytest, configuration.venv],
      [`${config.folder}::tests/test_shop.py::TestShop::test_total`, config.venv]);
    await session(state.started[0], async (client, reason) => {
      assert.equal(reason, 'exception');
      const { body: { stackFrames: [top] } } = await client.stackTraceRequest({ threadId: 1 });
      assert.deepEqual([top.source.path, top.line], [text('tests/test_shop.py'), 10]);
      await Promise.all([client.stepBackRequest({ threadId: 1 }), client.waitForEvent('stopped')]);
    });
    state.answer = (box) => { assert.equal(box.value, 'tests/test_shop.py::test_case[]'); return 'tests/test_shop.py::test_case[2]'; };
    cursor(text('tests/test_shop.py'), 14);
    await vscode.commands.executeCommand(TRACE);
    assert.equal(state.started[1].configuration.pytest, `${config.folder}::tests/test_shop.py::test_case[2]`);
    cursor(text('tests/test_shop.py'), 2);
    await vscode.commands.executeCommand(TRACE);
    assert.match(state.messages.at(-1).text, /there is none at the cursor/);
  },

  /** Which interpreter is used, and what is said about one that cannot be. */
  async interpreters() {
    const descriptor = async () => {
      const folder = { uri: vscode.Uri.file(config.folder) };
      return (await state.factories.worldline.createDebugAdapterDescriptor({ workspaceFolder: folder })).command;
    };
    assert.equal(await descriptor(), 'python3');
    state.settings['worldline.python'] = '/set/python';
    assert.equal(await descriptor(), '/set/python');
    select('/selected/python');
    assert.equal(await descriptor(), '/selected/python');
    state.extensions['ms-python.python'] = { isActive: true, exports: {} };
    assert.equal(await descriptor(), '/set/python');

    const folder = { uri: vscode.Uri.file(config.folder) };
    const resolve = (configuration) => state.providers.worldline.resolveDebugConfiguration(folder, configuration);
    delete state.extensions['ms-python.python'];
    assert.equal(await resolve({}), undefined);
    assert.match(state.messages.at(-1).text, /cannot start \/set\/python/);
    assert.deepEqual(state.messages.at(-1).actions, ['Open Settings']);

    select(config.bare);
    state.choice = 'Copy Command';
    assert.equal(await resolve({ type: 'worldline', request: 'launch' }), undefined);
    const command = `${config.bare} -m pip install worldline`;
    assert.equal(state.messages.at(-1).text, `worldline is not installed in ${config.bare}. Install it with: ${command}`);
    assert.equal(state.clipboard, command);
    state.settings['worldline.requirement'] = '/a clone/worldline';
    state.choice = 'Select Interpreter';
    assert.equal(await resolve({ type: 'worldline', request: 'launch' }), undefined);
    assert.match(state.messages.at(-1).text, /-m pip install "\/a clone\/worldline"$/);
    assert.deepEqual(state.executed.at(-1), ['python.setInterpreter']);

    const served = { type: 'worldline', request: 'launch', debugServer: 4711 };
    assert.equal(await resolve(served), served, 'an adapter that runs elsewhere needs no interpreter');
    select(config.python);
    assert.equal((await resolve({})).program, '${file}');
  },

  /** Links above functions that can be called and above tests, each with its own place. */
  async lenses() {
    const [{ provider }] = state.lenses;
    const shown = (name) => provider.provideCodeLenses(document(text(name)))
      .map(({ range, command }) => [range.start.line, command.title.split(' ')[0], command.arguments[1]]);
    assert.deepEqual(shown('shop.py'), [[1, 'Predict', 1], [10, 'Predict', 10]]);
    assert.deepEqual(shown('tests/test_shop.py'), [[7, 'Trace', 7], [13, 'Trace', 13]]);
    state.settings['worldline.codeLens'] = false;
    assert.deepEqual(shown('shop.py'), []);
  },
};

await scenarios[config.scenario]();
