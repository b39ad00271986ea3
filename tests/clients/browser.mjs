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
const CONTEXT = { javaScriptEnabled: false };

export class Browser {
  static async launch(context = CONTEXT) {
    const executablePath = process.env.PORTICO_TEST_CHROMIUM || (await unpacked());
    const chrome = await chromium.launch({ executablePath, headless: true, args: FLAGS });
    return new Browser(chrome, await chrome.newContext(context));
  }

  constructor(chrome, context) {
    this.chrome = chrome;
    this.context = context;
  }

  // Opens what an app asks for, and allows it. The app's own listener takes what follows.
  async allow(url, person) {
    const page = await this.context.newPage();
    try {
      await page.goto(url);
      await this.signInWhereAsked(page, person);
      const asked = await page.getByRole('heading', { level: 1 }).innerText();
      const back = page.waitForURL((address) => address.searchParams.has('code'), {
        waitUntil: 'commit',
      });
      await page.getByRole('button', { name: 'Allow' }).click({ noWaitAfter: true });
      await back;
      return asked;
    } finally {
      await page.close();
    }
  }

  // Ends the one connection that the panel shows, and answers what the panel then says.
  async disconnect(panel, person) {
    const page = await this.context.newPage();
    try {
      await page.goto(panel);
      await this.signInWhereAsked(page, person);
      await page.getByRole('button', { name: /^Disconnect/ }).click();
      return (await page.getByRole('status').innerText()).trim();
    } finally {
      await page.close();
    }
  }

  async signInWhereAsked(page, person) {
    if ((await page.getByRole('button', { name: 'Sign in' }).count()) === 0) return;
    await page.getByLabel('E-mail address').fill(person.email);
    await page.getByLabel('Password').fill(person.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
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
