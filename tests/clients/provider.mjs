// What an app keeps of its sign-in, as the SDKs want it kept.

import { randomUUID } from 'node:crypto';

export class Provider {
  constructor(name, redirectUrl) {
    this.redirectUrl = redirectUrl;
    this.clientMetadata = {
      client_name: name,
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    };
    this.kept = {};
  }

  state() {
    this.kept.state ??= randomUUID();
    return this.kept.state;
  }

  clientInformation() {
    return this.kept.client;
  }

  saveClientInformation(client) {
    this.kept.client = client;
  }

  tokens() {
    return this.kept.tokens;
  }

  saveTokens(tokens) {
    this.kept.tokens = tokens;
  }

  saveCodeVerifier(verifier) {
    this.kept.verifier = verifier;
  }

  codeVerifier() {
    return this.kept.verifier;
  }

  discoveryState() {
    return this.kept.discovery;
  }

  saveDiscoveryState(discovery) {
    this.kept.discovery = discovery;
  }

  // What the server no longer knows is asked for anew.
  invalidateCredentials(what) {
    const kinds = { all: ['client', 'tokens', 'verifier', 'discovery'], client: ['client'] };
    for (const kind of kinds[what] ?? [what]) delete this.kept[kind];
  }

  redirectToAuthorization(url) {
    this.kept.authorization = url.href;
  }
}
