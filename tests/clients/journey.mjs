// The way that every client goes: connects, works, is disconnected, is refused, connects again.
// One line of JSON says what happened.

import { Browser } from './browser.mjs';

const WORKSPACE = 'northwind.example';
const BOARD = 'Launch';
const CARD = 'Write the announcement';

// `connect(world)` answers a client with `tools()`, `call(name, arguments)` and `close()`, and with
// `asksAgain` where it signs in by itself. `world` is what `portico dev --json` printed, with
// `allow(url)` added.
export async function travel(connect) {
  const world = JSON.parse(process.argv[2]);
  const [person] = world.people;
  const browser = await Browser.launch();
  const happened = {};
  world.allow = async (url) => {
    happened.asked = await browser.ask(url, person);
    await browser.allow();
  };
  let client;
  try {
    client = await connect(world);
    happened.server = client.server;
    happened.tools = await client.tools();
    happened.read = await read(client);
    happened.moved = await client.call('move_card', {
      workspace: WORKSPACE,
      card: CARD,
      column: 'Doing',
    });
    happened.panel = await browser.disconnect(world.panel_url, person);
    happened.refused = await refusal(client);
    await client.close();
    client = await connect(world);
    happened.again = await read(client);
  } finally {
    await client?.close();
    await browser.close();
  }
  console.log(JSON.stringify(happened));
}

const board = () => ({ workspace: WORKSPACE, board: BOARD });

// What the app makes of being refused: an error, or a sign-in that it asks for by itself.
function refusal(client) {
  const called = read(client).then(
    (text) => `answered: ${text}`,
    (error) => error.constructor.name,
  );
  return Promise.race([called, ...(client.asksAgain ? [client.asksAgain] : [])]);
}

const read = (client) => client.call('read_board', board());

// The text that a model would read; a refusal by the tool is told apart.
export function text(result) {
  const words = result.content.map((part) => part.text).join('\n');
  return result.isError ? `refused: ${words}` : words;
}
