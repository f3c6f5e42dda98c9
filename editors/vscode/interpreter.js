// Which Python starts the adapter, and whether it can: the selected interpreter, a setting, or python3 from the path.
'use strict';

const { execFile } = require('node:child_process');
const vscode = require('vscode');

const PYTHON_EXTENSION = 'ms-python.python';
const MIN_VERSION = [3, 11];
// Prints what there is to know about an interpreter. It runs in this folder, so that no file of a project is imported.
const PROBE = 'import importlib.util, json, sys; print(json.dumps({"version": sys.version_info[:2], '
  + '"hasWorldline": importlib.util.find_spec("worldline") is not None, '
  + '"venv": sys.prefix if sys.prefix != sys.base_prefix else ""}))';
const COPY = 'Copy Command';
const SELECT = 'Select Interpreter';
const SETTINGS = 'Open Settings';

/** The interpreter for a document or folder. */
async function interpreter(resource) {
  return (await selected(resource)) || vscode.workspace.getConfiguration('worldline', resource).get('python') || 'python3';
}

/** The interpreter that is selected in the Python extension; undefined without the extension or a selection. */
async function selected(resource) {
  const extension = vscode.extensions.getExtension(PYTHON_EXTENSION);
  if (!extension) return undefined;
  try {
    const { environments } = extension.isActive ? extension.exports : await extension.activate();
    const active = environments.getActiveEnvironmentPath(resource);
    const resolved = await environments.resolveEnvironment(active);
    return resolved?.executable?.uri?.fsPath;
  } catch {
    return undefined; // another version of its interface: the setting remains
  }
}

/** What an interpreter is: its version, whether it has worldline, its environment; undefined if it does not start. */
function probe(python) {
  return new Promise((resolve) => {
    execFile(python, ['-c', PROBE], { cwd: __dirname, timeout: 60000 }, (error, output) => {
      try {
        resolve(error ? undefined : JSON.parse(output));
      } catch {
        resolve(undefined);
      }
    });
  });
}

/** The facts of an interpreter that can start the adapter; otherwise a message says what to do. */
async function usable(resource) {
  const python = await interpreter(resource);
  const facts = await probe(python);
  if (!facts) {
    await complain(`worldline cannot start ${python}. Select a Python interpreter, or set worldline.python.`, {});
    return undefined;
  }
  const [major, minor] = facts.version;
  if (major < MIN_VERSION[0] || (major === MIN_VERSION[0] && minor < MIN_VERSION[1])) {
    await complain(`worldline needs Python ${MIN_VERSION.join('.')} or newer, and ${python} is ${major}.${minor}.`, {});
    return undefined;
  }
  if (!facts.hasWorldline) {
    const requirement = vscode.workspace.getConfiguration('worldline', resource).get('requirement') || 'worldline';
    const command = `${quoted(python)} -m pip install ${quoted(requirement)}`;
    await complain(`worldline is not installed in ${python}. Install it with: ${command}`, { command });
    return undefined;
  }
  return { python, venv: facts.venv };
}

function quoted(word) {
  return /^[\w./:@+=~-]+$/.test(word) ? word : `"${word}"`;
}

/** Shows an error with what can be done about it. */
async function complain(message, { command }) {
  const actions = [...(command ? [COPY] : []), vscode.extensions.getExtension(PYTHON_EXTENSION) ? SELECT : SETTINGS];
  const chosen = await vscode.window.showErrorMessage(message, ...actions);
  if (chosen === COPY) await vscode.env.clipboard.writeText(command);
  if (chosen === SELECT) await vscode.commands.executeCommand('python.setInterpreter');
  if (chosen === SETTINGS) await vscode.commands.executeCommand('workbench.action.openSettings', 'worldline.python');
}

/** How the adapter is started. -P: the folder that VS Code is in is not searched for modules. */
function adapterCommand(python) {
  return { command: python, args: ['-P', '-m', 'worldline', 'dap'] };
}

module.exports = { adapterCommand, interpreter, usable };
