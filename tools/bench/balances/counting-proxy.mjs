// A proxy that counts what passes to one address.
import { Agent, createServer, request } from 'node:http';
import { once } from 'node:events';
import { closing } from '../measure/closing.mjs';

/** Opens it in front of a base URL. `nameOf(request, body)` names a call, or several as a list. */
export async function openCountingProxy(target, nameOf) {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(target);
  let calls = [];
  const server = createServer(async (incoming, outgoing) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    calls.push(...[nameOf(incoming, body.toString())].flat());
    const { method, url: path, headers } = incoming;
    const onward = request({ hostname, port, path, method, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    });
    onward.once('error', () => outgoing.destroy());
    onward.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing(server, () => {
    server.closeAllConnections();
    server.close();
    agent.destroy();
  });
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** The names of the calls since the last look. */
    taken() {
      const since = calls;
      calls = [];
      return since;
    },
  };
}

/** The methods of a JSON-RPC request, also of a batch. */
export function rpcMethods(_request, body) {
  return [JSON.parse(body)].flat().map(({ method }) => method);
}

/** The route of a request, without its question. */
export function routeOf({ url }) {
  return url.split('?', 1)[0];
}
