// The least that a replay can be: a bare Fastify, the token check, one indexed select by pg.
import { FastifyAdapter } from '@nestjs/platform-fastify';
import pg from 'pg';
import { listens } from '../measure/peer.mjs';
import { openClaims } from '../parts/es256-claims.mjs';

const claimsOf = openClaims(process.argv[2]);
const pool = new pg.Pool({ max: 20 }); // where it connects to is in the environment
const SELECT = {
  name: 'replay',
  text: 'select status, message, data from replays where agent_id = $1 and idempotency_key = $2',
};

const fastify = new FastifyAdapter().getInstance();
fastify.post('/transfer', async (request, reply) => {
  const { sub } = claimsOf(request.headers);
  const { rows } = await pool.query({ ...SELECT, values: [sub, request.headers['idempotency-key']] });
  const { status, message, data } = rows[0];
  reply.code(status).type('application/json; charset=utf-8');
  return `{"status":true,"statusCode":${status},"message":${JSON.stringify(message)},"data":{"cached":true,"originalResponse":${data}}}`;
});
await fastify.listen({ host: '127.0.0.1', port: 0 });
listens(fastify.server.address().port);
