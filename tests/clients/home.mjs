// A home directory for an app, so that it finds nothing of another's and leaves nothing behind.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const homes = [];

export function newHome() {
  const home = mkdtempSync(join(tmpdir(), 'portico-client-'));
  homes.push(home);
  return home;
}

process.on('exit', () => {
  for (const home of homes) rmSync(home, { recursive: true, force: true, maxRetries: 3 });
});
