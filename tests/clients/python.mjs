// An app in Python, `fastmcp_client.py` or `python_sdk.py`, in one of the two eras: a program of
// its own, to which each order is a line.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { Desktop, awaited } from './desktop.mjs';
import { newHome } from './home.mjs';
import { travel } from './journey.mjs';

const [app, mode] = process.argv.slice(3);
const PROGRAM = fileURLToPath(new URL(app, import.meta.url));
const PYTHON =
  process.env.PORTICO_TEST_PYTHON ||
  fileURLToPath(new URL('../../target/tools/python/bin/python', import.meta.url));

async function connect(target) {
  const desktop = await Desktop.start();
  const env = { ...desktop.env(newHome()), PYTHONDONTWRITEBYTECODE: '1' };
  const program = spawn(PYTHON, [PROGRAM, target.url, mode], { env });
  let errors = '';
  program.stderr.on('data', (chunk) => (errors += chunk));
  const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
  const hear = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${app} ended\n${errors}`);
    return JSON.parse(value);
  };
  const order = async (...words) => {
    program.stdin.write(`${JSON.stringify(words)}\n`);
    const { answer, error } = await hear();
    if (error) throw new Error(error);
    return answer;
  };
  const [server] = await Promise.all([hear(), desktop.next().then(awaited).then(target.allow)]);
  return {
    server,
    tools: () => order('tools'),
    call: (tool, values) => order('call', tool, values),
    timePasses: () => order('time passes'),
    asksAgain: desktop.next().then(() => 'asks to sign in again'),
    close: async () => {
      program.kill();
      desktop.close();
    },
  };
}

await travel(connect);
