// The peer of json-api.mjs.
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { createPublicKey, verify } from 'node:crypto';
import { listens } from '../measure/peer.mjs';

const key = createPublicKey(process.argv[2]);
const SIGNATURE = '5'.repeat(88);

/** The claims of a good token. Throws for any other. */
function claimsOf({ authorization }) {
  const [header, payload, signature] = authorization.slice('Bearer '.length).split('.');
  if (JSON.parse(Buffer.from(header, 'base64url')).alg !== 'ES256') throw new Error('another algorithm');
  const signed = Buffer.from(`${header}.${payload}`);
  const isGood = verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'));
  if (!isGood) throw new Error('a bad signature');
  return JSON.parse(Buffer.from(payload, 'base64url'));
}

// Only the adapter's Fastify: no application is made.
const fastify = new FastifyAdapter().getInstance();
fastify.post('/transfer', (request, reply) => {
  const { sub } = claimsOf(request.headers);
  const { to, amount, mint } = request.body;
  reply.send({
    ...{ status: true, statusCode: 200, message: 'Transfer confirmed' },
    data: { transactionId: sub, signature: SIGNATURE, explorerUrl: SIGNATURE, to, amount, mint, status: 'confirmed' },
  });
});
await fastify.listen({ host: '127.0.0.1', port: 0 });
listens(fastify.server.address().port);
