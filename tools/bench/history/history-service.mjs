// History over a database, and the gateway's way to it: gRPC over mutual TLS.
import { historyV1 } from '@agent-wallet/contracts';
import { createCertificates } from '@agent-wallet/embedded';
import { startHistory } from '@agent-wallet/history';
import { createLogger, loadTls, openRpcClient } from '@agent-wallet/platform';
import { closing } from '../measure/closing.mjs';

/** Makes the certificates of both ends. */
export const makeCertificates = (directory) => createCertificates(directory, ['gateway', 'history']);

/** Starts it. There is no signer: checkpoints wait for one. */
export async function openHistory({ connections, certificates }) {
  const settings = {
    grpcAddress: '127.0.0.1:0',
    database: connections.history,
    tls: certificates.history,
    logLevel: 'silent',
    stream: { kind: 'postgres' },
    checkpoints: { signerAddress: '127.0.0.1:1', intervalMs: 3_600_000 },
  };
  const service = await startHistory(settings, { logger: createLogger('bench', 'silent') });
  closing(service, () => service.stop());
  const client = openRpcClient({
    definition: historyV1.HistoryServiceService,
    peer: { address: service.address, service: 'history' },
    tls: await loadTls(certificates.gateway),
  });
  return closing(client, () => client.close());
}
