// A client made with an SDK, whichever of its versions: signs in where it is refused, and speaks.

import { Callback } from './callback.mjs';
import { Provider } from './provider.mjs';
import { text } from './journey.mjs';

// `sdk` has the classes of one version; `finish(transport, parameters)` is how that version takes
// the browser's answer.
export function connector({ name, sdk, options, finish }) {
  return async function connect(target) {
    const callback = await Callback.listen();
    const authProvider = new Provider(name, callback.url);
    const begin = async () => {
      const transport = new sdk.StreamableHTTPClientTransport(new URL(target.url), {
        authProvider,
      });
      const client = new sdk.Client({ name, version: '1.0.0' }, options);
      return { client, transport };
    };
    try {
      const first = await begin();
      const refused = await first.client.connect(first.transport).then(
        () => null,
        (error) => error,
      );
      if (!(refused instanceof sdk.UnauthorizedError)) {
        throw refused ?? new Error('connected without a sign-in');
      }
      await target.allow(authProvider.kept.authorization);
      const parameters = await callback.received;
      if (parameters.get('state') !== authProvider.kept.state) throw new Error('another state');
      await finish(first.transport, parameters);
      await first.transport.close();
    } finally {
      callback.close();
    }
    const { client, transport } = await begin();
    await client.connect(transport);
    return {
      server: { ...client.getServerVersion(), protocol: transport.protocolVersion },
      tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
      call: async (tool, values) =>
        text(await client.callTool({ name: tool, arguments: values })),
      close: () => client.close(),
    };
  };
}
