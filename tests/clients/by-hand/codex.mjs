// Speaks to `codex app-server` in lines of JSON: which tools it has of the server, and what a call of
// one says. No model is asked.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const codex = spawn('codex', ['app-server'], { stdio: ['pipe', 'pipe', 'ignore'] });
const waiting = new Map();
createInterface({ input: codex.stdout }).on('line', (line) => {
  const { id, result, error } = JSON.parse(line);
  waiting.get(id)?.(error ?? result);
});
const say = (message) => codex.stdin.write(`${JSON.stringify(message)}\n`);
const ask = (method, params = {}) =>
  new Promise((resolve) => {
    const id = waiting.size + 1;
    waiting.set(id, resolve);
    say({ id, method, params });
  });

await ask('initialize', { clientInfo: { name: 'by-hand', version: '1' } });
say({ method: 'initialized' });
const { data } = await ask('mcpServerStatus/list');
for (const { name, tools, authStatus } of data) {
  console.log(`${name}: ${authStatus}, ${Object.keys(tools).length} tools`);
}
const { thread, ...refused } = await ask('thread/start');
if (!thread) throw new Error(JSON.stringify(refused));
const call = { threadId: thread.id, server: 'acme', tool: 'list_workspaces', arguments: {} };
const called = await ask('mcpServer/tool/call', call);
console.log(JSON.stringify(called));
codex.kill();
