// A headless browser at which a person sits: signs in, allows an app, disconnects it.

import { chromium } from 'playwright-core';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

// Without scripts: every page must work so.
const LOOK = { javaScriptEnabled: false };

const PATIENCE_MS = 20_000;

export class Browser {
  static async launch(look = LOOK) {
    const executablePath = process.env.PORTICO_TEST_CHROMIUM || (await unpacked());
    const chrome = await chromium.launch({ executablePath, headless: true, args: FLAGS });
    const context = await chrome.newContext(look);
    context.setDefaultTimeout(PATIENCE_MS);
    return new Browser(chrome, await context.newPage());
  }

  // One page for everything: a page that is closed while it loads may never say that it is.
  constructor(chrome, page) {
    this.chrome = chrome;
    this.page = page;
  }

  // Opens what an app asks for, signs in where asked to, and answers what the page is about.
  async ask(url, person) {
    await this.page.goto(url);
    await this.signInWhereAsked(person);
    return this.page.getByRole('heading', { level: 1 }).innerText();
  }

  // Allows what was asked. The app's own listener answers what follows.
  async allow() {
    const back = this.page.waitForURL((address) => address.searchParams.has('code'));
    await this.page.getByRole('button', { name: 'Allow' }).click({ noWaitAfter: true });
    await back;
  }

  // Ends the one connection that the panel shows, and answers what the panel then says.
  async disconnect(panel, person) {
    await this.page.goto(panel);
    await this.signInWhereAsked(person);
    await this.page.getByRole('button', { name: /^Disconnect/ }).click();
    return (await this.page.getByRole('status').innerText()).trim();
  }

  async signInWhereAsked(person) {
    if ((await this.page.getByRole('button', { name: 'Sign in' }).count()) === 0) return;
    await this.page.getByLabel('E-mail address').fill(person.email);
    await this.page.getByLabel('Password').fill(person.password);
    await this.page.getByRole('button', { name: 'Sign in' }).click();
  }

  close() {
    return this.chrome.close();
  }
}

// Only where no Chromium is installed.
async function unpacked() {
  const { default: carried } = await import('@sparticuz/chromium');
  return carried.executablePath();
}
