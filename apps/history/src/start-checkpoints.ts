import { signerV1 } from '@agent-wallet/contracts';
import { type Database, type Logger, openRpcClient, startLoop, type TlsIdentity } from '@agent-wallet/platform';
import { GrpcCheckpointSigner } from './adapters/grpc-checkpoint-signer.js';
import { PostgresCheckpointStore } from './adapters/postgres-checkpoint-store.js';
import { MakeCheckpoints } from './application/make-checkpoints.js';
import type { CheckpointSettings } from './settings.js';

/** While the signer is away it is asked, and its absence logged, twice a minute. */
const MAX_FAILURE_PAUSE_MS = 30_000;

/** Has the growth of the log signed at every interval. A signer that is away delays it. */
export function startCheckpoints(
  { signerAddress, intervalMs }: CheckpointSettings,
  { database, tls, logger }: { readonly database: Database; readonly tls: TlsIdentity; readonly logger: Logger },
): { stop(): Promise<void> } {
  const signer = openRpcClient({
    definition: signerV1.SignerServiceService,
    peer: { address: signerAddress, service: 'signer' },
    tls,
  });
  const making = new MakeCheckpoints(new PostgresCheckpointStore(database), new GrpcCheckpointSigner(signer));
  const pace = { idleMs: intervalMs, maxFailurePauseMs: MAX_FAILURE_PAUSE_MS };
  const loop = startLoop({ name: 'checkpoints', ...pace, logger, round: () => making.execute() });
  return { stop: () => loop.stop().finally(() => signer.close()) };
}
