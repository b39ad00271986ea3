// How a person comes to each state of each page. The panel's rows are made by whoever starts this.

import { App } from './app.mjs';
import { press, signIn } from './person.mjs';

const NOBODYS = '01900000-0000-7000-8000-000000000000';
const LOOPBACK = 'http://localhost:9/callback';

// `watched(context)` sees everything that a context does. What it noted is the last state.
export async function* states(chrome, world, watched) {
  const [ada, grace] = world.people;
  const { mcp_url: mcp, panel_url: panel } = world;
  const { origin } = new URL(mcp);
  const context = await chrome.newContext({ locale: 'en-GB', timezoneId: 'UTC' });
  context.setDefaultTimeout(20_000);
  const noted = watched(context);
  const page = await context.newPage();
  const at = (name) => ({ name, page });
  const ask = async (...args) => page.goto((await App.register(...args)).authorization());

  await page.goto(`${origin}/`);
  yield at('card');
  await page.goto(mcp);
  yield at('card at an endpoint');
  await page.goto(`${origin}/nothing`);
  yield at('nothing there');
  await page.goto(`${origin}/sign-in`);
  yield at('sign-in');
  await page.goto(`${origin}/consent?request=${NOBODYS}`);
  yield at('sign-in for a request that is gone');
  await page.goto(`${origin}/oauth/authorize?client_id=${NOBODYS}`);
  yield at('unknown app');

  await ask(mcp, 'Claude', ['https://claude.ai/api/mcp/auth_callback']);
  yield at('sign-in for an app');
  await signIn(page, { ...ada, password: 'wrong' });
  yield at('wrong password');
  await signIn(page, ada);
  yield at('consent for a known address');
  await page.getByLabel('Only these').check();
  yield at('consent with workspaces');
  await press(page, 'Allow');
  await page.getByText('Nothing is connected yet').waitFor();
  yield at('consent with none ticked');

  await ask(mcp, 'Сlaude', [`https://claude.example.test/${'long/'.repeat(40)}`]);
  yield at('consent for an unknown address');
  await press(page, 'Cancel');
  await page.getByRole('heading', { name: 'Not connected' }).waitFor();
  yield at('declined');
  await page.goBack();
  yield at('answered');
  await ask(mcp, 'Claude Code', [LOOPBACK], 'read');
  yield at('consent for a program, to read');
  await ask(mcp, 'Cursor', ['cursor://anysphere.cursor-mcp/oauth/callback']);
  yield at('consent for a scheme');
  await ask(`${mcp}/w/northwind.example`, 'Claude Code', [LOOPBACK]);
  yield at('consent for one workspace');
  await ask(`${mcp}/w/northwind.example/readonly`, 'Claude Code', [LOOPBACK]);
  yield at('consent for one workspace, to read');
  await ask(`${mcp}/w/nowhere.example`, 'Claude Code', [LOOPBACK]);
  yield at('consent for a workspace of others');

  await page.goto(panel);
  yield at('panel');
  await page.getByRole('button', { name: /^Disconnect/ }).first().click();
  await page.getByRole('status').waitFor();
  yield at('panel after a disconnect');
  await page.goto(`${origin}/connections/${NOBODYS}/disconnect`);
  yield at('not a page');
  await page.goto(panel);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await signIn(page, grace);
  yield at('empty panel');
  await context.close();
  if (noted.length > 0) throw new Error(noted.join('\n'));
}
