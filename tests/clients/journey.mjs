// The way that every client goes at every address: connects, works, goes on when its access token
// has run out, is disconnected, is refused, connects again. One line of JSON an address says what
// happened.

import { createInterface } from 'node:readline';

import { Browser } from './browser.mjs';

const WORKSPACE = 'northwind.example';
const BOARD = 'Launch';
const CARD = 'Write the announcement';

// `connect(target)` answers a client with `tools()`, `call(name, arguments)` and `close()`; with
// `asksAgain` where it signs in by itself, and `timePasses()` where it looks at a clock. `target` is
// one of the addresses that the test names, with `allow(url)` added.
export async function travel(connect) {
  const { person, targets } = JSON.parse(process.argv[2]);
  const browser = await Browser.launch();
  const test = new Test();
  try {
    for (const target of targets) {
      test.tell(await visit(target, { connect, browser, person, test }));
    }
  } finally {
    test.close();
    await browser.close();
  }
}

async function visit(target, { connect, browser, person, test }) {
  const happened = { url: target.url, asked: [] };
  target.allow = async (url) => {
    happened.asked.push(await browser.ask(url, person));
    await browser.allow();
  };
  let client;
  try {
    client = await connect(target);
    happened.server = client.server;
    happened.tools = await client.tools();
    happened.read = await read(client);
    happened.moved = await client.call('move_card', {
      workspace: WORKSPACE,
      card: CARD,
      column: target.column,
    });
    if (target.expires) {
      await test.pleaseExpireTokens();
      await client.timePasses?.();
      happened.refreshed = await readOrAsk(client);
    }
    happened.panel = await browser.disconnect(target.panel, person);
    happened.refused = await readOrAsk(client);
    await client.close();
    client = await connect(target);
    happened.again = await read(client);
    await browser.disconnect(target.panel, person);
  } finally {
    await client?.close();
  }
  return happened;
}

const read = (client) => client.call('read_board', { workspace: WORKSPACE, board: BOARD });

// What the app makes of a call: its answer, an error, or a sign-in that it asks for by itself.
function readOrAsk(client) {
  const called = read(client).catch((error) => error.constructor.name);
  return Promise.race([called, ...(client.asksAgain ? [client.asksAgain] : [])]);
}

// The text that a model would read; a refusal by the tool is told apart.
export function text(result) {
  const words = result.content.map((part) => part.text).join('\n');
  return result.isError ? `refused: ${words}` : words;
}

// The test that runs this program: it has the database, and reads what happened.
class Test {
  constructor() {
    this.lines = createInterface({ input: process.stdin });
    this.answers = this.lines[Symbol.asyncIterator]();
  }

  tell(happened) {
    console.log(JSON.stringify(happened));
  }

  async pleaseExpireTokens() {
    console.log('"please expire the access tokens"');
    if ((await this.answers.next()).done) throw new Error('the test is gone');
  }

  close() {
    this.lines.close();
  }
}
