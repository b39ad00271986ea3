// The TypeScript SDK, version 1.

import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { travel } from './journey.mjs';
import { connector } from './sdk.mjs';

await travel(
  connector({
    name: 'Journey with SDK 1',
    sdk: { Client, StreamableHTTPClientTransport, UnauthorizedError },
    finish: (transport, parameters) => transport.finishAuth(parameters.get('code')),
  }),
);
