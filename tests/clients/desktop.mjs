// The person's desktop, as an app sees it: something that opens addresses. They come here.

import { createServer } from 'node:http';
import { connect } from 'node:net';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const PATIENCE_MS = 20_000;
const PAUSE_MS = 50;

const BIN = fileURLToPath(new URL('bin', import.meta.url));

export class Desktop {
  static async start() {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Desktop(server);
  }

  constructor(server) {
    this.server = server;
    this.opened = [];
    this.waiting = [];
    server.on('request', async (request, response) => {
      const url = await text(request);
      response.end();
      const waiting = this.waiting.shift();
      if (waiting) waiting(url);
      else this.opened.push(url);
    });
  }

  // What a program needs to find it, and no other desktop.
  env(home) {
    const { DISPLAY, WAYLAND_DISPLAY, DBUS_SESSION_BUS_ADDRESS, ...rest } = process.env;
    return {
      ...rest,
      HOME: home,
      XDG_CONFIG_HOME: `${home}/.config`,
      XDG_DATA_HOME: `${home}/.local/share`,
      XDG_CACHE_HOME: `${home}/.cache`,
      PATH: `${BIN}:${process.env.PATH}`,
      BROWSER: `${BIN}/xdg-open`,
      PORTICO_TEST_DESKTOP: `http://127.0.0.1:${this.server.address().port}`,
      PORTICO_TEST_NODE: process.execPath,
    };
  }

  // The next address that is opened.
  next() {
    if (this.opened.length > 0) return Promise.resolve(this.opened.shift());
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }
}

// The same address, once the app waits for the answer. Some open it before they listen, which no
// person is quick enough to notice.
export async function awaited(url) {
  const { hostname, port } = new URL(new URL(url).searchParams.get('redirect_uri'));
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await takesConnections(hostname, port))) {
    if (Date.now() > deadline) throw new Error(`nobody listens at ${hostname}:${port}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return url;
}

function takesConnections(host, port) {
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
