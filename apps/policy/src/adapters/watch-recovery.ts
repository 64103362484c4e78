import { type Database, watchRows } from '@agent-wallet/platform';
import { METRICS } from '@agent-wallet/telemetry';
import { IS_KNOWN } from './recovery-statements.js';

/** Watches whether policy permits nothing because the database was restored. */
export function watchRecovery(database: Database): { stop(): void } {
  return watchRows<{ readonly is_recovering: boolean }>(database, {
    name: 'recovery-gauge',
    text: `select exists (select from recoveries where ended_at is null) or not exists (${IS_KNOWN}) as is_recovering`,
    read: ([row]) => [{ metric: METRICS.recoveryActive, value: row?.is_recovering ? 1 : 0 }],
  });
}
