// A proxy that counts what passes to one address.
import { Agent, createServer, request } from 'node:http';
import { once } from 'node:events';
import { WebSocket, WebSocketServer } from 'ws';
import { closing } from '../measure/closing.mjs';

/**
 * Opens it in front of a base URL. `nameOf(request, body)` names a call, or several as a list; what a client says over
 * a WebSocket is named likewise. What is pushed to clients is no call.
 */
export async function openCountingProxy(target, nameOf) {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port, host } = new URL(target);
  const sockets = new WebSocketServer({ noServer: true });
  const { count, ...counts } = openCounts(nameOf);
  const server = createServer(async (incoming, outgoing) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    count(incoming, body.toString());
    const { method, url: path, headers } = incoming;
    const onward = request({ hostname, port, path, method, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    });
    onward.once('error', () => outgoing.destroy());
    onward.end(body);
  });
  server.on('upgrade', (incoming, socket, head) => {
    count(incoming, '');
    sockets.handleUpgrade(incoming, socket, head, (client) => {
      client.on('message', (said) => count(incoming, said.toString()));
      relay(client, new WebSocket(`ws://${host}${incoming.url}`));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing(server, () => {
    for (const client of sockets.clients) client.terminate();
    server.closeAllConnections();
    server.close();
    agent.destroy();
  });
  return { url: `http://127.0.0.1:${server.address().port}`, ...counts };
}

function openCounts(nameOf) {
  let calls = [];
  return {
    count: (incoming, body) => void calls.push(...[nameOf(incoming, body)].flat()),
    /** The names of the calls since the last look. */
    taken() {
      const since = calls;
      calls = [];
      return since;
    },
  };
}

/** What each side of a WebSocket says, to the other; the end of one is that of both. */
function relay(client, node) {
  const early = [];
  client.on('message', (said, isBinary) => {
    if (node.readyState === WebSocket.OPEN) node.send(said, { binary: isBinary });
    else early.push([said, { binary: isBinary }]);
  });
  node.on('open', () => early.forEach((message) => node.send(...message)));
  node.on('message', (said, isBinary) => client.send(said, { binary: isBinary }));
  for (const [one, other] of [
    [client, node],
    [node, client],
  ]) {
    one.on('error', () => other.terminate());
    one.on('close', () => other.terminate());
  }
}

/** The methods of a JSON-RPC request, also of a batch; any other request by its own name, as `GET /health`. */
export function rpcMethods({ method, url, headers }, body) {
  if (body === '') return [`${headers.upgrade ?? method} ${url}`];
  try {
    return [JSON.parse(body)].flat().map((call) => call.method ?? 'no method');
  } catch {
    return [`${method} ${url} without JSON`];
  }
}

/** The route of a request, without its question. */
export function routeOf({ url }) {
  return url.split('?', 1)[0];
}
