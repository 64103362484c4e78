// The peer of rpc-call.mjs.
import { createServer } from 'node:http';
import { listens } from '../measure/peer.mjs';

const SIGNATURE = '5'.repeat(88);

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.once('end', () => {
    const { id } = JSON.parse(Buffer.concat(chunks).toString());
    const text = JSON.stringify({ jsonrpc: '2.0', id, result: SIGNATURE });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    response.end(text);
  });
});
server.keepAliveTimeout = 0; // a part rests while the others are measured
server.listen(0, '127.0.0.1', () => listens(server.address().port));
