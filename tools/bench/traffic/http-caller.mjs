// A cheap HTTP client: a load generator shares the machine with what it loads.
import { Agent, request } from 'node:http';

/** Posts JSON to one address over kept-alive connections; resolves to `{ status, text }`. */
export function openHttpCaller(baseUrl, maxSockets) {
  const agent = new Agent({ keepAlive: true, maxSockets });
  const { hostname, port } = new URL(baseUrl);
  const post = (path, body, more) =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...more };
      const call = request({ hostname, port, path, agent, method: 'POST', headers });
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
