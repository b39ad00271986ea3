// An app's own listener on the person's computer, to which the browser is sent back.

import { createServer } from 'node:http';
import { once } from 'node:events';

export class Callback {
  static async listen() {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Callback(server);
  }

  constructor(server) {
    this.server = server;
    this.url = `http://localhost:${server.address().port}/callback`;
    this.received = once(server, 'request').then(([request, response]) => {
      response.end('You can close this window.');
      return new URL(request.url, this.url).searchParams;
    });
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }
}
