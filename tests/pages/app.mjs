// An app as the gateway sees one: it registers, sends a person to be asked, and takes the code.

import { createHash, randomBytes } from 'node:crypto';

export class App {
  static async register(mcpUrl, name, redirectUris, scope) {
    const origin = new URL(mcpUrl).origin;
    const response = await fetch(`${origin}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: name,
        redirect_uris: redirectUris,
        token_endpoint_auth_method: 'none',
      }),
    });
    if (response.status !== 201) throw new Error(await response.text());
    const { client_id } = await response.json();
    return new App(mcpUrl, client_id, redirectUris[0], scope);
  }

  constructor(mcpUrl, id, redirectUri, scope) {
    Object.assign(this, { mcpUrl, id, redirectUri, scope });
  }

  // Each time with another state and challenge.
  authorization() {
    this.state = randomBytes(9).toString('base64');
    this.verifier = randomBytes(32).toString('hex');
    const parameters = new URLSearchParams({
      response_type: 'code',
      client_id: this.id,
      redirect_uri: this.redirectUri,
      state: this.state,
      code_challenge: createHash('sha256').update(this.verifier).digest('base64url'),
      code_challenge_method: 'S256',
      resource: this.mcpUrl,
      ...(this.scope ? { scope: this.scope } : {}),
    });
    return `${new URL(this.mcpUrl).origin}/oauth/authorize?${parameters}`;
  }

  async exchange(code) {
    const response = await fetch(`${new URL(this.mcpUrl).origin}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        client_id: this.id,
        redirect_uri: this.redirectUri,
        code_verifier: this.verifier,
      }),
    });
    if (response.status !== 200) throw new Error(await response.text());
  }

  // What is wrong with an answer; nothing, if it is the one to the last authorization.
  judge(address) {
    const { searchParams: answer } = new URL(address);
    if (answer.get('state') !== this.state) return `another state in ${address}`;
    if (!answer.has('code')) return `no code in ${address}`;
    if (answer.get('iss') !== new URL(this.mcpUrl).origin) return `another issuer in ${address}`;
    return 'came back with its code';
  }
}
