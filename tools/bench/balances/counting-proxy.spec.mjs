import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { WebSocket, WebSocketServer } from 'ws';
import { closeAll, closing } from '../measure/closing.mjs';
import { openCountingProxy, rpcMethods, routeOf } from './counting-proxy.mjs';

const POST = { method: 'POST', url: '/', headers: {} };

afterEach(closeAll);

/** A node that answers every call with its body, and says over WebSocket what it is told. */
async function openNode() {
  const server = createServer((request, response) => request.pipe(response));
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => socket.on('message', (said) => socket.send(`told ${said}`)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing(server, () => {
    for (const client of sockets.clients) client.terminate();
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}`;
}

describe('the counting proxy', () => {
  it('counts every call of a JSON-RPC batch', () => {
    expect(rpcMethods(POST, '{"id":1,"method":"getBalance"}')).toEqual(['getBalance']);
    expect(rpcMethods(POST, '[{"method":"getBalance"},{"method":"getSlot"}]')).toEqual(['getBalance', 'getSlot']);
  });

  it('counts what is no JSON-RPC by its own name', () => {
    expect(rpcMethods({ method: 'GET', url: '/health', headers: {} }, '')).toEqual(['GET /health']);
    expect(rpcMethods(POST, 'nonsense')).toEqual(['POST / without JSON']);
    expect(rpcMethods(POST, '{}')).toEqual(['no method']);
  });

  it('names a route without its question', () => {
    expect(routeOf({ url: '/price/v3?ids=a,b' })).toBe('/price/v3');
    expect(routeOf({ url: '/price/v3' })).toBe('/price/v3');
  });

  it('passes calls on, and counts them until they are taken', async () => {
    const proxy = await openCountingProxy(await openNode(), rpcMethods);
    const body = '{"method":"getSlot"}';
    const answer = await fetch(proxy.url, { method: 'POST', body });
    expect(await answer.text()).toBe(body);
    expect(proxy.taken()).toEqual(['getSlot']);
    expect(proxy.taken()).toEqual([]);
  });

  it('passes a WebSocket on, and counts that it was opened and what was asked over it', async () => {
    const proxy = await openCountingProxy(await openNode(), rpcMethods);
    const socket = new WebSocket(proxy.url.replace('http', 'ws'));
    await once(socket, 'open');
    socket.send('{"method":"slotSubscribe"}');
    const [said] = await once(socket, 'message');
    expect(said.toString()).toBe('told {"method":"slotSubscribe"}');
    expect(proxy.taken()).toEqual(['websocket /', 'slotSubscribe']);
    socket.terminate();
  });
});
