// A cheap HTTP client: a load generator shares the machine with what it loads.
import { Agent, request } from 'node:http';

/** Asks paths of one address over kept-alive connections; what it asks resolves to `{ status, text }`. */
export function openHttpCaller(baseUrl, maxSockets) {
  const agent = new Agent({ keepAlive: true, maxSockets });
  const { hostname, port } = new URL(baseUrl);
  const ask = (method, path, headers, body) =>
    new Promise((resolve, reject) => {
      const call = request({ hostname, port, path, agent, method, headers });
      call.once('error', reject);
      call.once('response', (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() }));
      });
      call.end(body);
    });
  const get = (path, headers) => ask('GET', path, headers);
  const post = (path, body, headers = {}) => {
    const length = Buffer.byteLength(body);
    return ask('POST', path, { 'content-type': 'application/json', 'content-length': length, ...headers }, body);
  };
  return { get, post, close: () => agent.destroy() };
}
