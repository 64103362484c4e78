// The other end of grpc.mjs: `node grpc-server.mjs <ca> <certificate> <key>`.
import { policyV1 } from '@agent-wallet/contracts';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';

const [ca, certChain, privateKey] = process.argv.slice(2).map((path) => readFileSync(path));
const permit = { claims: randomBytes(340), signature: randomBytes(64), keyId: '0001' };
const server = new Server();
const { authorize } = policyV1.PolicyServiceService;
const answer = (_call, reply) => reply(null, { permit, reservedUsdMicros: 10_000n });
server.addService({ authorize }, { authorize: answer });
const tls = ServerCredentials.createSsl(ca, [{ cert_chain: certChain, private_key: privateKey }], true);
server.bindAsync('127.0.0.1:0', tls, (error, port) => {
  if (error) throw error;
  process.send({ port });
});
process.once('disconnect', () => process.exit());
