// mcp-remote as a desktop app starts it: a program that speaks over stdio, and signs in by itself.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

import { text, travel } from './journey.mjs';

const PROXY = fileURLToPath(new URL('node_modules/mcp-remote/dist/proxy.js', import.meta.url));

// It prints the address that it would like opened; nothing else opens one here.
const AUTHORIZE = /visiting:\s+(http\S+)\s/;

// A second sign-in would otherwise find what the first one kept.
let config;

async function connect(world) {
  config ??= mkdtempSync(join(tmpdir(), 'portico-mcp-remote-'));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROXY, world.mcp_url, '--allow-http', '--transport', 'http-only'],
    env: { ...withoutDesktop(), BROWSER: 'true', MCP_REMOTE_CONFIG_DIR: config },
    stderr: 'pipe',
  });
  const asked = addresses(transport.stderr);
  const allowed = asked.next().then(({ value }) => world.allow(value));
  const client = new Client({ name: 'Journey with mcp-remote', version: '1.0.0' });
  await Promise.all([allowed, client.connect(transport)]);
  return {
    server: { ...client.getServerVersion() },
    tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: async (tool, values) => text(await client.callTool({ name: tool, arguments: values })),
    asksAgain: asked.next().then(() => 'asks to sign in again'),
    close: () => client.close(),
  };
}

// What it would open belongs into the test's own browser.
function withoutDesktop() {
  const { DISPLAY, WAYLAND_DISPLAY, DBUS_SESSION_BUS_ADDRESS, ...rest } = process.env;
  return rest;
}

// Each address that the program prints, as it is printed.
async function* addresses(stderr) {
  let said = '';
  for await (const chunk of stderr) {
    said += chunk;
    for (let found; (found = AUTHORIZE.exec(said)); said = said.slice(found.index + found[0].length)) {
      yield found[1];
    }
  }
}

try {
  await travel(connect);
} finally {
  if (config) rmSync(config, { recursive: true, force: true });
}
