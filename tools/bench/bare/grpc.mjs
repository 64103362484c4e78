// A unary gRPC call with mutual TLS, by grpc-js alone, to a process that does nothing else.
import { policyV1 } from '@agent-wallet/contracts';
import { credentials, makeClientConstructor } from '@grpc/grpc-js';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { closing } from '../../measuring/closing.mjs';
import { transferIntent } from '../intent.mjs';
import { startPeer } from './peer.mjs';

/** @returns `call`, with the message of Authorize, and `isPeer(process)` for the other end */
export async function openGrpcHop({ wallet, policy }) {
  const paths = [policy.caPath, policy.server.certPath, policy.server.keyPath];
  const { port, isPeer } = await startPeer('grpc-server.mjs', paths);
  const { certPath, keyPath } = wallet.client;
  const [ca, cert, key] = await Promise.all([wallet.caPath, certPath, keyPath].map((p) => readFile(p)));
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
  return { call, isPeer };
}
