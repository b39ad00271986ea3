// mcporter: a program a call, which signs in where it is refused and keeps that for the next one.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { Desktop } from './desktop.mjs';
import { newHome } from './home.mjs';
import { travel } from './journey.mjs';

const PROGRAM = fileURLToPath(new URL('node_modules/mcporter/dist/cli.js', import.meta.url));
const SERVER = 'acme';

async function connect(target) {
  const home = newHome();
  const config = `${home}/mcporter.json`;
  const server = { baseUrl: target.url, auth: 'oauth' };
  writeFileSync(config, JSON.stringify({ mcpServers: { [SERVER]: server } }));
  const desktop = await Desktop.start();
  const running = new Set();
  const run = async (...words) => {
    const options = { env: desktop.env(home), stdio: ['ignore', 'pipe', 'pipe'] };
    const program = spawn(process.execPath, [PROGRAM, '--config', config, ...words], options);
    running.add(program);
    const [out, errors, [code]] = await Promise.all([
      text(program.stdout),
      text(program.stderr),
      once(program, 'close'),
    ]);
    running.delete(program);
    if (code !== 0) throw new Error(`mcporter ${words.join(' ')}: ${code}\n${out}\n${errors}`);
    return out;
  };
  const list = async () => JSON.parse(await run('list', SERVER, '--json'));
  const [, first] = await Promise.all([desktop.next().then(target.allow), list()]);
  return {
    server: {},
    tools: async () => first.tools.map((tool) => tool.name),
    call: async (tool, values) => {
      const named = ['--args', JSON.stringify(values), '--output', 'text'];
      return (await run('call', `${SERVER}.${tool}`, ...named)).trimEnd();
    },
    asksAgain: desktop.next().then(() => 'asks to sign in again'),
    close: async () => {
      for (const program of running) program.kill();
      desktop.close();
    },
  };
}

await travel(connect);
