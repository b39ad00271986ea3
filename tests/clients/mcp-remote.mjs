// mcp-remote as a desktop app starts it: a program that speaks over stdio, and signs in by itself.

import { fileURLToPath } from 'node:url';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

import { Desktop } from './desktop.mjs';
import { newHome } from './home.mjs';
import { text, travel } from './journey.mjs';

const PROXY = fileURLToPath(new URL('node_modules/mcp-remote/dist/proxy.js', import.meta.url));

// A second sign-in finds what the first one kept, as on a person's computer.
const homes = new Map();

async function connect(target) {
  if (!homes.has(target.url)) homes.set(target.url, newHome());
  const home = homes.get(target.url);
  const desktop = await Desktop.start();
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROXY, target.url, '--allow-http', '--transport', 'http-only'],
    env: { ...desktop.env(home), MCP_REMOTE_CONFIG_DIR: home },
    stderr: 'ignore',
  });
  const client = new Client({ name: 'Journey with mcp-remote', version: '1.0.0' });
  await Promise.all([desktop.next().then(target.allow), client.connect(transport)]);
  return {
    server: { ...client.getServerVersion() },
    tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: async (tool, values) => text(await client.callTool({ name: tool, arguments: values })),
    asksAgain: desktop.next().then(() => 'asks to sign in again'),
    close: async () => {
      await client.close();
      desktop.close();
    },
  };
}

await travel(connect);
