// Takes the pictures of the README from a running `portico dev --json`, whose line is the argument:
// an app asks, the person allows it, and it stands in the panel.

import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { Browser } from './browser.mjs';
import { Callback } from './callback.mjs';

const FOLDER = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const APP = { client_name: 'Claude Code', redirect_uris: ['http://localhost/callback'] };
const LOOK = {
  viewport: { width: 760, height: 560 },
  deviceScaleFactor: 2,
  colorScheme: 'light',
  locale: 'en-GB',
  timezoneId: 'UTC',
  javaScriptEnabled: false,
};

const world = JSON.parse(process.argv[2]);
const [person] = world.people;
const origin = new URL(world.mcp_url).origin;
const callback = await Callback.listen();
const browser = await Browser.launch(LOOK);
mkdirSync(FOLDER, { recursive: true });
try {
  await browser.ask(await authorization(), person);
  await picture('consent');
  await browser.allow();
  await browser.page.goto(world.panel_url);
  await picture('connections');
} finally {
  await browser.close();
  callback.close();
}

function picture(name) {
  return browser.page.screenshot({ path: `${FOLDER}${name}.png`, fullPage: true });
}

async function authorization() {
  const registered = await fetch(`${origin}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...APP, token_endpoint_auth_method: 'none' }),
  });
  const { client_id } = await registered.json();
  const challenge = createHash('sha256').update(randomBytes(32).toString('hex')).digest('base64url');
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: callback.url,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    resource: world.mcp_url,
    scope: 'read write',
  });
  return `${origin}/oauth/authorize?${parameters}`;
}
