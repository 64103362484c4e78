// Bare part: a unary gRPC call with mutual TLS, by grpc-js alone.
import { credentials, makeClientConstructor } from '@grpc/grpc-js';
import { policyV1 } from '@agent-wallet/contracts';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { closing } from '../measure/closing.mjs';
import { startPeer } from '../measure/peer.mjs';

const CALLERS = 32;
const SERVER = fileURLToPath(new URL('grpc-hop-server.mjs', import.meta.url));

/** Three a transfer: to the wallet, to the policy, to the signer. The message is that of Authorize. */
export async function openGrpcHop({ certificates: { wallet, policy } }) {
  const { pid, port } = await startPeer(SERVER, [policy.caPath, policy.certPath, policy.keyPath]);
  const [ca, cert, key] = await Promise.all([wallet.caPath, wallet.certPath, wallet.keyPath].map((p) => readFile(p)));
  const Client = makeClientConstructor(policyV1.PolicyServiceService, 'policy');
  const target = { 'grpc.ssl_target_name_override': 'policy' };
  const client = new Client(`127.0.0.1:${port}`, credentials.createSsl(ca, key, cert), target);
  closing(client, () => client.close());
  const request = authorizeRequest();
  const call = () =>
    new Promise((resolve, reject) => {
      client.authorize(request, (error, answer) => (error ? reject(error) : resolve(answer)));
    });
  return { name: 'gRPC call with mutual TLS', times: 3, callers: CALLERS, call, isPeer: (p) => p.pid === pid };
}

function authorizeRequest() {
  const value = {
    recipient: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin',
    mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    tokenProgram: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    ...{ amount: 10_000n, decimals: 6, createsRecipientAccount: false, memo: '' },
  };
  const intent = { wallet: '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T', action: { $case: 'transfer', value } };
  const ids = { operationId: randomUUID(), agentId: randomUUID() };
  return { ...ids, step: 1, attempt: 1, intent, messageHash: randomBytes(32) };
}
