// A unary gRPC call with mutual TLS, by grpc-js alone, to a process that does nothing else.
import { policyV1 } from '@agent-wallet/contracts';
import { credentials, makeClientConstructor } from '@grpc/grpc-js';
import { fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { closing } from '../../closing.mjs';
import { transferIntent } from '../intent.mjs';

/** @returns `call`, with the message of Authorize, and `isPeer(process)` for the other end */
export async function openGrpcHop({ wallet, policy }) {
  const server = path.join(import.meta.dirname, 'grpc-server.mjs');
  const child = fork(server, [policy.caPath, policy.certPath, policy.keyPath]);
  closing(child, () => child.kill('SIGKILL'));
  const failed = once(child, 'exit').then(() => Promise.reject(new Error('the bare server ended')));
  const [{ port }] = await Promise.race([once(child, 'message'), failed]);
  failed.catch(() => {}); // it may end now
  const [ca, cert, key] = await Promise.all([wallet.caPath, wallet.certPath, wallet.keyPath].map((p) => readFile(p)));
  const Client = makeClientConstructor(policyV1.PolicyServiceService, 'policy');
  const target = { 'grpc.ssl_target_name_override': 'policy' };
  const client = new Client(`127.0.0.1:${port}`, credentials.createSsl(ca, key, cert), target);
  closing(client, () => client.close());
  const ids = { operationId: randomUUID(), agentId: randomUUID() };
  const request = { ...ids, step: 1, attempt: 1, intent: transferIntent(), messageHash: randomBytes(32) };
  const call = () =>
    new Promise((resolve, reject) => {
      client.authorize(request, (error, answer) => (error ? reject(error) : resolve(answer)));
    });
  return { call, isPeer: ({ pid }) => pid === child.pid };
}
