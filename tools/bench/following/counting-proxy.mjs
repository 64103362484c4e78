// A TCP proxy that counts the bytes of both directions, with TLS as it was sent.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { closing } from '../../measuring/closing.mjs';

/** Silence on the wire between two rounds of following, which are half a second apart. */
const SILENCE_MS = 100;

/** Opens a proxy in front of a `host:port`. */
export async function openProxy(target) {
  const [host, port] = target.split(':');
  const counts = { sent: 0, received: 0, rounds: 0 };
  const sockets = new Set();
  let latestAtMs = 0;
  const noteChunk = () => {
    const nowMs = performance.now();
    if (nowMs - latestAtMs > SILENCE_MS) counts.rounds += 1;
    latestAtMs = nowMs;
  };
  const server = createServer((client) => {
    const service = connect({ host, port: Number(port) });
    for (const [from, to, name] of [
      [client, service, 'sent'],
      [service, client, 'received'],
    ]) {
      sockets.add(from);
      from.on('data', (chunk) => {
        counts[name] += chunk.length;
        noteChunk();
      });
      from.on('error', () => to.destroy());
      from.on('close', () => sockets.delete(from));
      from.pipe(to);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing(server, () => {
    server.close();
    sockets.forEach((socket) => socket.destroy());
  });
  return { address: `127.0.0.1:${server.address().port}`, counts: () => ({ ...counts }) };
}
