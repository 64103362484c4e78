// The other end of a bare JSON request: it reads one object and answers another.
import { createServer } from 'node:http';

const SIGNATURE = '5'.repeat(88);

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.once('end', () => {
    const { to, amount, mint } = JSON.parse(Buffer.concat(chunks).toString());
    const data = { signature: SIGNATURE, explorerUrl: SIGNATURE, to, amount, mint, status: 'confirmed' };
    const text = JSON.stringify({ status: true, statusCode: 200, message: 'Transfer confirmed', data });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    response.end(text);
  });
});
server.keepAliveTimeout = 0; // a part rests while the others are measured
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.once('disconnect', () => process.exit());
