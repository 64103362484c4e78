// Bare part: a JSON request with an ES256 token at a bare Fastify.
import { generateKeyPairSync, sign } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { closing } from '../measure/closing.mjs';
import { openHttpCaller } from '../measure/http-caller.mjs';
import { startPeer } from '../measure/peer.mjs';

const CALLERS = 32;
const SERVER = fileURLToPath(new URL('json-api-server.mjs', import.meta.url));

/** Once a transfer; like the product's, the end that asks does not count. */
export async function openJsonApi() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { pid, port } = await startPeer(SERVER, [publicKey.export({ type: 'spki', format: 'pem' })]);
  const caller = closing(openHttpCaller(`http://127.0.0.1:${port}`, CALLERS), () => caller.close());
  const headers = { authorization: `Bearer ${tokenFor(privateKey)}` };
  const body = JSON.stringify({ to: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin', amount: 0.01, mint: 'USDC' });
  const call = async () => {
    const { status } = await caller.post('/transfer', body, headers);
    if (status !== 200) throw new Error(`the bare API answered ${status}`);
  };
  const isPeer = (process) => process.pid === pid;
  return { name: 'JSON and an ES256 token at Fastify', times: 1, callers: CALLERS, call, countsUs: false, isPeer };
}

function tokenFor(key) {
  const part = (claims) => Buffer.from(JSON.stringify(claims)).toString('base64url');
  const times = { iat: 1, exp: 4_000_000_000 };
  const text = `${part({ alg: 'ES256', typ: 'JWT', kid: '0001' })}.${part({ sub: 'agent', jti: 'session', ...times })}`;
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}
