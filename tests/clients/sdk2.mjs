// The TypeScript SDK, version 2, in one of its two eras: `legacy`, or the revision to pin.

import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';

import { travel } from './journey.mjs';
import { connector } from './sdk.mjs';

const era = process.argv[3];
const mode = era === 'legacy' ? 'legacy' : { pin: era };

await travel(
  connector({
    name: `Journey with SDK 2 (${era})`,
    sdk: { Client, StreamableHTTPClientTransport, UnauthorizedError },
    options: { versionNegotiation: { mode } },
    finish: (transport, parameters) => transport.finishAuth(parameters),
  }),
);
