// The peer of grpc-hop.mjs.
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { policyV1 } from '@agent-wallet/contracts';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { listens } from '../measure/peer.mjs';

const [ca, certChain, privateKey] = process.argv.slice(2).map((path) => readFileSync(path));
const answer = {
  permit: { claims: randomBytes(340), signature: randomBytes(64), keyId: '0001' },
  reservedUsdMicros: 10_000n,
};

const server = new Server();
const { authorize } = policyV1.PolicyServiceService;
server.addService({ authorize }, { authorize: (_call, reply) => reply(null, answer) });
const tls = ServerCredentials.createSsl(ca, [{ cert_chain: certChain, private_key: privateKey }], true);
server.bindAsync('127.0.0.1:0', tls, (error, port) => {
  if (error) throw error;
  listens(port);
});
