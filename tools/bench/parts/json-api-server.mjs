// The peer of json-api.mjs and of policy-read: a bare Fastify that checks a token.
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { listens } from '../measure/peer.mjs';
import { openClaims } from './es256-claims.mjs';

const claimsOf = openClaims(process.argv[2]);
const SIGNATURE = '5'.repeat(88);
const POLICY = {
  ...{ maxSingleTransactionInUsd: 100, dailyLimitInUsd: 500, allowedRecipients: [], sessionExpirationHours: 168 },
  ...{ allowTrading: true, allowLiquidityProvision: true, allowPredictionMarkets: true },
};

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
fastify.get('/policy', (request, reply) => {
  const { sub } = claimsOf(request.headers);
  reply.send({ status: true, statusCode: 200, message: 'Policy.', data: { policy: { ...POLICY, agent: sub } } });
});
await fastify.listen({ host: '127.0.0.1', port: 0 });
listens(fastify.server.address().port);
