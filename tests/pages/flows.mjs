// The ways that lead from a page to somewhere else, in a browser: back to an app wherever it is,
// in a popup, in two tabs, by the Back button. One line of JSON says what came of each.

import { createServer } from 'node:http';
import { once } from 'node:events';

import { Browser } from '../clients/browser.mjs';
import { App } from './app.mjs';
import { heading, press, signInWhereAsked, watch } from './person.mjs';

const WITHOUT_SCRIPTS = { javaScriptEnabled: false };
const SITE = 'https://app.example.test';
const CURSOR = 'cursor://anysphere.cursor-mcp/oauth/callback';
const PATIENCE_MS = 20_000;

const world = JSON.parse(process.argv[2]);
const [ada] = world.people;
const { mcp_url: mcp, panel_url: panel } = world;
const { origin } = new URL(mcp);
const { chrome } = await Browser.launch(WITHOUT_SCRIPTS);
const listener = await listen();

const flows = {
  'a program on this computer': loopback,
  'a web site': site,
  'a web site that goes on to a scheme': forwarding,
  'a scheme of its own': scheme,
  'a no': denied,
  'a double click': twice,
  'a popup': popup,
  'two tabs': tabs,
  'the Back button': back,
};
const happened = {};
try {
  for (const [name, flow] of Object.entries(flows)) {
    happened[name] = await flow();
  }
} finally {
  await chrome.close();
  listener.close();
}
console.log(JSON.stringify(happened));

// A browser of its own for each, and what it complained of behind what happened.
async function visit(options, act) {
  const context = await chrome.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  const noted = watch(context, origin);
  try {
    const outcome = await act(await context.newPage(), context);
    return noted.length === 0 ? outcome : [outcome, ...noted].join('; ');
  } finally {
    await context.close();
  }
}

async function asked(page, app) {
  await page.goto(app.authorization());
  await signInWhereAsked(page, ada);
  await page.getByRole('button', { name: 'Allow' }).waitFor();
}

function loopback() {
  return visit(WITHOUT_SCRIPTS, async (page) => {
    const app = await App.register(mcp, 'Loopback', [listener.url]);
    await asked(page, app);
    const arrived = listener.next();
    await press(page, 'Allow');
    return app.judge(await arrived);
  });
}

function site() {
  return visit(WITHOUT_SCRIPTS, async (page) => {
    const app = await App.register(mcp, 'Site', [`${SITE}/callback`]);
    await answering(page, { responseCode: 200, body: btoa('Connected') });
    await asked(page, app);
    await press(page, 'Allow');
    await page.waitForURL(`${SITE}/**`);
    return app.judge(page.url());
  });
}

// Some sites hand the answer on to an app on the device.
function forwarding() {
  return visit(WITHOUT_SCRIPTS, async (page) => {
    const app = await App.register(mcp, 'Forwarding', [`${SITE}/callback`]);
    await answering(page, (query) => ({
      responseCode: 307,
      responseHeaders: [{ name: 'location', value: `forwarded://app/${query}` }],
    }));
    await asked(page, app);
    const left = leaving(page, 'forwarded:');
    await press(page, 'Allow');
    return app.judge(await left);
  });
}

// Answers for the site, also where the browser comes by a redirect.
async function answering(page, answer) {
  const debug = await page.context().newCDPSession(page);
  await debug.send('Fetch.enable', { patterns: [{ urlPattern: `${SITE}/*` }] });
  debug.on('Fetch.requestPaused', ({ requestId, request }) => {
    const { search } = new URL(request.url);
    const given = typeof answer === 'function' ? answer(search) : answer;
    // Whoever has left the page meanwhile wants no answer.
    debug.send('Fetch.fulfillRequest', { requestId, ...given }).catch(() => {});
  });
}

function scheme() {
  return visit(WITHOUT_SCRIPTS, async (page) => {
    const app = await App.register(mcp, 'Cursor', [CURSOR]);
    await asked(page, app);
    const left = leaving(page, 'cursor:');
    await press(page, 'Allow');
    return app.judge(await left);
  });
}

// No page is ever loaded there, so the browser's own account of where it goes is asked.
async function leaving(page, protocol) {
  const debug = await page.context().newCDPSession(page);
  await debug.send('Network.enable');
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(`never left for ${protocol}`)), PATIENCE_MS).unref();
    debug.on('Network.requestWillBeSent', ({ request }) => {
      if (request.url.startsWith(protocol)) resolve(request.url);
    });
  });
}

function denied() {
  return visit(WITHOUT_SCRIPTS, async (page) => {
    const app = await App.register(mcp, 'Loopback', [listener.url]);
    await asked(page, app);
    const arrived = listener.next();
    await press(page, 'Cancel');
    const { searchParams: answer } = new URL(await arrived);
    return `${answer.get('error')} with ${answer.get('state') === app.state ? 'its' : 'another'} state`;
  });
}

function twice() {
  return visit(WITHOUT_SCRIPTS, async (page) => {
    const app = await App.register(mcp, 'Loopback', [listener.url]);
    await asked(page, app);
    const arrived = listener.next();
    await page.getByRole('button', { name: 'Allow' }).dblclick({ noWaitAfter: true });
    return app.judge(await arrived);
  });
}

// An app in one window opens the question in another, and waits for word from there.
function popup() {
  return visit({}, async (page, context) => {
    const app = await App.register(mcp, 'Popup', [listener.url]);
    await page.goto(listener.opener(app.authorization()));
    const opened = context.waitForEvent('page');
    await page.getByRole('button', { name: 'Connect' }).click();
    const window = await opened;
    await signInWhereAsked(window, ada);
    await press(window, 'Allow');
    await page.getByText('told: ').waitFor();
    return app.judge(`${listener.url}${(await page.locator('output').innerText()).slice(6)}`);
  });
}

function tabs() {
  return visit(WITHOUT_SCRIPTS, async (first, context) => {
    const one = await App.register(mcp, 'One', [`${listener.url}/one`]);
    const other = await App.register(mcp, 'Other', [`${listener.url}/other`]);
    await asked(first, one);
    const second = await context.newPage();
    await asked(second, other);
    const outcomes = [];
    for (const [page, app] of [[first, one], [second, other]]) {
      const arrived = listener.next();
      await press(page, 'Allow');
      const address = await arrived;
      outcomes.push(`${new URL(address).pathname} ${app.judge(address)}`);
    }
    return outcomes.join(', ');
  });
}

function back() {
  return visit(WITHOUT_SCRIPTS, async (page) => {
    await page.goto(panel);
    await signInWhereAsked(page, ada);
    await page.getByRole('heading', { name: 'Your connections' }).waitFor();
    await press(page, 'Sign out');
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.goBack();
    const shown = await page.content();
    return `${await heading(page)}, ${shown.includes(ada.email) ? 'and who it was' : 'and nobody'}`;
  });
}

// An app's own listener, which may be asked more than once, and a window that opens another.
async function listen() {
  const waiting = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://localhost');
    response.setHeader('content-type', 'text/html');
    if (pathname === '/opener') {
      response.end(`<!doctype html><title>App</title><button>Connect</button><output></output><script>
        addEventListener('message', ({ data }) => { document.querySelector('output').textContent = 'told: ' + data; });
        document.querySelector('button').onclick = () => open(${JSON.stringify(searchParams.get('to'))}, 'x', 'popup');
      </script>`);
    } else if (pathname.startsWith('/callback')) {
      response.end(`<!doctype html><title>App</title><script>
        opener?.postMessage(location.search, '*');
      </script>`);
      waiting.shift()?.(new URL(request.url, 'http://localhost').href);
    } else {
      response.writeHead(404).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://localhost:${server.address().port}`;
  return {
    url: `${base}/callback`,
    opener: (to) => `${base}/opener?${new URLSearchParams({ to })}`,
    next: () =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => reject(new Error('nothing came back')), PATIENCE_MS);
        waiting.push((address) => {
          clearTimeout(late);
          resolve(address);
        });
      }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
