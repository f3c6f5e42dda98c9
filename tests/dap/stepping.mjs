// Breakpoints and steps, forwards and backwards, on the predictions of the interpreter.

import assert from 'node:assert/strict';
import { config, launch, scope, session, stops } from './client.mjs';

const path = config.factorial;
const args = { program: path, call: 'fact(3)', model: 'interpreter' };
const thread = { threadId: 1 };

await session(async (client) => {
  await client.hitBreakpoint(args, { path, line: 3 });
  assert.deepEqual(await scope(client, 'Predicted'), { n: '1' });
  assert.deepEqual(await scope(client, 'Actual'), { n: '1' });
  assert.deepEqual(await scope(client, 'Difference'), {});
  await stops(client, client.nextRequest(thread), 'step', { path, line: 5 });
  await stops(client, client.stepOutRequest(thread), 'step', { path, line: 5 });
  assert.deepEqual(await scope(client, 'Predicted'), { n: '3', r: '2' });
  await stops(client, client.stepBackRequest(thread), 'step', { path, line: 4 });
  await stops(client, client.nextRequest(thread), 'breakpoint', { path, line: 3 });
  await stops(client, client.stepOutRequest(thread), 'step', { path, line: 5 });
  await stops(client, client.reverseContinueRequest(thread), 'breakpoint', { path, line: 3 });
  await stops(client, client.reverseContinueRequest(thread), 'entry', { path, line: 1 });
  await stops(client, client.stepInRequest(thread), 'step', { path, line: 2 });
  const { body: { result } } = await client.evaluateRequest({ expression: 'n * 2', context: 'hover' });
  assert.equal(result, '6');
  const { body: { stackFrames: [top] } } = await client.stackTraceRequest(thread);
  await stops(client, client.restartFrameRequest({ frameId: top.id }), 'goto', { path, line: 1 });
  await stops(client, client.restartRequest({}), 'breakpoint', { path, line: 3 });
  await client.setBreakpointsRequest({ source: { path }, breakpoints: [] });
  await stops(client, client.continueRequest(thread), 'end', { path });
  await Promise.all([client.continueRequest(thread), client.waitForEvent('terminated')]);
  await assert.rejects(client.nextRequest(thread), /the program has ended/);
});

await session(async (client) => {
  const lines = [{ line: 9, logMessage: 'prime {n}' }, { line: 9, condition: 'n > 5' }];
  const program = config.primes;
  const stopped = client.assertStoppedLocation('breakpoint', { path: program, line: 9 });
  await Promise.all([launch(client, { program, model: 'interpreter' }, { lines }), stopped]);
  assert.equal((await scope(client, 'Predicted')).n, '7');
  const out = client.assertOutput('stdout', '7\n11\n13\n17\n19\n');
  await client.setBreakpointsRequest({ source: { path: program }, breakpoints: [] });
  await Promise.all([client.continueRequest(thread), out, client.waitForEvent('stopped')]);
});

await session(async (client) => {
  await client.initializeRequest();
  await assert.rejects(client.launchRequest({ program: '/nowhere.py' }), /cannot read/);
  await assert.rejects(client.launchRequest({ program: path, model: '/no/model' }), /no model/);
  await assert.rejects(client.attachRequest({ pid: 1 }), /attach/);
  await assert.rejects(client.customRequest('readMemory', { memoryReference: '0', count: 1 }), /unknown request/);
});
