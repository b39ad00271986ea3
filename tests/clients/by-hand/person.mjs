// Runs a command as somebody does who sits at a browser: whatever address it opens, they sign in
// there where asked to, and allow what is asked.
//
//   node person.mjs WELCOME COMMAND…
//
// WELCOME is a file with the line that `portico dev --json` printed. The command finds the server's
// address in MCP_URL, and a home of its own in HOME.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

import { Browser } from '../browser.mjs';
import { Desktop } from '../desktop.mjs';
import { newHome } from '../home.mjs';

const [file, ...command] = process.argv.slice(2);
const welcome = JSON.parse(readFileSync(file, 'utf8'));
const [person] = welcome.people;

const browser = await Browser.launch();
const desktop = await Desktop.start();
const url = process.env.MCP_URL || welcome.mcp_url;
const env = { ...desktop.env(newHome()), MCP_URL: url, PORTICO_PERSON: person.email };
const running = spawn(command[0], command.slice(1), { env, stdio: 'inherit' });
answer();
const [code] = await once(running, 'close');
desktop.close();
await browser.close();
process.exit(code ?? 1);

async function answer() {
  for (;;) {
    const opened = await desktop.next();
    console.error(`person: ${await browser.ask(opened, person)}`);
    await browser.allow();
    console.error('person: allowed');
  }
}
