// A cheap HTTP client: a load generator shares the machine with what it loads.
import { Agent, request } from 'node:http';

/** Posts texts to paths of one address over kept-alive connections; resolves to `{ status, text }`. */
export function openHttpCaller(baseUrl, maxSockets) {
  const agent = new Agent({ keepAlive: true, maxSockets });
  const { hostname, port } = new URL(baseUrl);
  const post = (path, body, headers = {}) =>
    new Promise((resolve, reject) => {
      const length = Buffer.byteLength(body);
      const call = request({
        ...{ hostname, port, path, agent, method: 'POST' },
        headers: { 'content-type': 'application/json', 'content-length': length, ...headers },
      });
      call.once('error', reject);
      call.once('response', (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() }));
      });
      call.end(body);
    });
  return { post, close: () => agent.destroy() };
}
