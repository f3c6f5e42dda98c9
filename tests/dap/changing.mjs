// Divergences as exceptions; then another value and another line, each on a branch of its own.

import assert from 'node:assert/strict';
import { config, launch, scope, session, stops } from './client.mjs';

const path = config.count;
const thread = { threadId: 1 };
const args = { program: path, call: "count('berry', 'r')" };

await session(async (client) => {
  const stopped = client.waitForEvent('stopped');
  await launch(client, { ...args, model: config.wrong }, { filters: ['first-action', 'first-state'] });
  const { body } = await stopped;
  assert.equal(body.reason, 'exception');
  assert.equal(body.description, 'wrong state');
  assert.deepEqual(await scope(client, 'Difference'), { n: '1, predicted 5' });
  let info;
  do {
    info = (await client.exceptionInfoRequest(thread)).body;
  } while (info.description.includes('cause: not known yet'));
  assert.equal(info.exceptionId, 'wrong state');
  assert.match(info.description, /cause: wrong value/);
});

await session(async (client) => {
  const stopped = client.assertStoppedLocation('breakpoint', { path, line: 8 });
  await Promise.all([launch(client, { ...args, model: 'interpreter' }, { lines: [{ line: 8 }] }), stopped]);
  const { body: { stackFrames: [top] } } = await client.stackTraceRequest(thread);
  const { body: { scopes: [{ variablesReference }] } } = await client.scopesRequest({ frameId: top.id });
  const set = client.setVariableRequest({ variablesReference, name: 'n', value: '40 + n' });
  await stops(client, set, 'goto', { path, line: 8 });
  assert.equal((await set).body.value, '42');
  assert.equal((await scope(client, 'Predicted')).n, '42');
  const { body: { targets } } = await client.gotoTargetsRequest({ source: { path }, line: 5 });
  await stops(client, client.gotoRequest({ threadId: 1, targetId: targets[0].id }), 'goto', { path, line: 5 });
  await stops(client, client.nextRequest(thread), 'step', { path, line: 6 });
  assert.equal((await scope(client, 'Predicted')).n, '0');
  const told = await client.evaluateRequest({ expression: ':branches', context: 'repl' });
  assert.equal(told.body.result.split('\n').length, 3);
  await stops(client, client.evaluateRequest({ expression: ':branch 0', context: 'repl' }), 'goto', { path });
  const { body: { targets: words } } = await client.completionsRequest({ text: 'wo', column: 3 });
  assert.deepEqual(words.map((one) => one.label), ['word']);
  await Promise.all([client.terminateRequest(), client.waitForEvent('terminated')]);
});
