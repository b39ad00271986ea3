// Takes the pictures of the README from a running `portico dev --json`, whose line is the argument:
// an app asks, the person allows it, and it stands in the panel.

import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { Browser } from '../clients/browser.mjs';
import { Callback } from '../clients/callback.mjs';
import { App } from './app.mjs';

const FOLDER = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
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
const callback = await Callback.listen();
const browser = await Browser.launch(LOOK);
mkdirSync(FOLDER, { recursive: true });
try {
  const app = await App.register(world.mcp_url, 'Claude Code', [callback.url], 'read write');
  await browser.ask(app.authorization(), person);
  await picture('consent');
  await browser.allow();
  await app.exchange((await callback.received).get('code'));
  await browser.page.goto(world.panel_url);
  await picture('connections');
} finally {
  await browser.close();
  callback.close();
}

function picture(name) {
  return browser.page.screenshot({ path: `${FOLDER}${name}.png`, fullPage: true });
}
