// Microsoft's DebugClient on a running adapter, with every message of both directions written down for the schema.
// It decides nothing: scripts beside it drive the client and assert; pytest starts them and checks the transcript.

import { appendFileSync } from 'node:fs';
import support from '@vscode/debugadapter-testsupport';

const [runtime, executable, transcript, given] = process.argv.slice(2);

/** What pytest wants a script to know: paths, models, a port. */
export const config = JSON.parse(given);

/** One client from start to stop; `act` gets it, and what it throws ends the script with a failure. */
export async function session(act) {
  const client = new support.DebugClient(runtime, executable, 'worldline', undefined, true);
  client.defaultTimeout = 120000;
  await client.start(config.port);
  writeDown(client);
  try {
    await act(client);
  } finally {
    await client.stop();
  }
}

/** Appends each message to the transcript, as one line of JSON. */
function writeDown(client) {
  const keep = (text) => appendFileSync(transcript, text + '\n');
  const dispatch = client.dispatch.bind(client);
  client.dispatch = (body) => { keep(body); dispatch(body); };
  const stream = client.outputStream;
  const write = stream.write.bind(stream);
  stream.write = (text, ...rest) => { keep(text.slice(text.indexOf('\r\n\r\n') + 4)); return write(text, ...rest); };
}

/** The names and values of one scope of the stopped program's innermost frame. */
export async function scope(client, name) {
  const { body: { stackFrames: [top] } } = await client.stackTraceRequest({ threadId: 1 });
  const { body: { scopes } } = await client.scopesRequest({ frameId: top.id });
  const { variablesReference } = scopes.find((one) => one.name === name);
  const { body: { variables } } = await client.variablesRequest({ variablesReference });
  return Object.fromEntries(variables.map((one) => [one.name, one.value]));
}

/** A request that stops somewhere: where, by the client's own assertion. */
export async function stops(client, request, reason, expected) {
  const [, location] = await Promise.all([request, client.assertStoppedLocation(reason, expected)]);
  return location;
}

/** Launch, set what must be set, and run. */
export async function launch(client, args, { lines = [], filters = [] } = {}) {
  const source = { path: args.program };
  await Promise.all([
    client.waitForEvent('initialized')
      .then(() => client.setBreakpointsRequest({ source, breakpoints: lines }))
      .then(() => client.setExceptionBreakpointsRequest({ filters }))
      .then(() => client.configurationDoneRequest()),
    client.launch(args),
  ]);
}
