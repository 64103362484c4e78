// A proxy in front of the gateway that loses, delays and garbles what passes through it.
import { createServer, request as send } from 'node:http';
import { setImmediate } from 'node:timers';

/** Faults of one request, and how often each comes in a hundred. */
const FAULTS = [
  ['lose the request', 8],
  ['lose the response', 12],
  ['break off the response', 6],
  ['answer 503', 6],
  ['answer 429', 6],
  ['answer too late', 4],
];

/** Longer than the clients wait. */
const LATE_MS = 3_000;

/**
 * Starts the proxy.
 * @param {import('../soak/random.mjs').Random} random chooses the faults
 * @returns its URL, the number of faults so far, and an end
 */
export async function startHostileProxy(target, random) {
  const counts = new Map(FAULTS.map(([name]) => [name, 0]));
  const server = createServer((request, response) => {
    const fault = drawn(random);
    if (fault) counts.set(fault, counts.get(fault) + 1);
    request.on('error', () => {});
    serve({ target, fault }, request, response).catch(() => response.destroy());
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    counts,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function drawn(random) {
  let left = random.integer(0, 99);
  for (const [name, often] of FAULTS) {
    left -= often;
    if (left < 0) return name;
  }
  return undefined;
}

async function serve({ target, fault }, request, response) {
  if (fault === 'lose the request') return response.destroy();
  if (fault === 'answer 503') return response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>Busy</h1>');
  if (fault === 'answer 429') return response.writeHead(429, { 'retry-after': '1' }).end();
  const { status, headers, body } = await forwarded(target, request);
  if (fault === 'lose the response') return response.destroy();
  if (fault === 'answer too late') await new Promise((resolve) => setTimeout(resolve, LATE_MS));
  if (response.destroyed) return;
  response.writeHead(status, headers);
  if (fault !== 'break off the response') return response.end(body);
  response.write(body.subarray(0, body.length >> 1));
  setImmediate(() => response.destroy());
}

/** Sends the whole request on, also when its client has gone, as a network would. */
async function forwarded(target, request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method, url, headers } = request;
  const answer = await new Promise((resolve, reject) => {
    const { host } = new URL(target);
    send(new URL(url, target), { method, headers: { ...headers, host } }, resolve)
      .on('error', reject)
      .end(Buffer.concat(chunks));
  });
  const parts = [];
  for await (const part of answer) parts.push(part);
  return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(parts) };
}
