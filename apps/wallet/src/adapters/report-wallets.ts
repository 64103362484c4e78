import type { policyV1 } from '@agent-wallet/contracts';
import { NIL_UUID } from '@agent-wallet/kernel';
import { type BackgroundLoop, type Logger, type Queryable, startLoop } from '@agent-wallet/platform';

const ASK_EVERY_MS = 1_000;
const PAGE_COUNT = 1_000;

/** Policy's methods for the report. A generated client fits. */
export interface WalletListener {
  getRecovery(request: policyV1.GetRecoveryRequest): Promise<policyV1.GetRecoveryResponse>;
  reportWallets(request: policyV1.ReportWalletsRequest): Promise<policyV1.ReportWalletsResponse>;
}

/** Names all wallets to policy whenever it has to read again what they have moved. */
export function reportWallets(pool: Queryable, policy: WalletListener, logger: Logger): BackgroundLoop {
  const round = async (): Promise<boolean> => {
    const { inProgress, recoveryId, walletsReported } = await policy.getRecovery({});
    if (inProgress && recoveryId > 0 && !walletsReported) await reportAll(pool, policy, recoveryId);
    return false;
  };
  return startLoop({ name: 'report-wallets', logger, idleMs: ASK_EVERY_MS, round });
}

async function reportAll(pool: Queryable, policy: WalletListener, recoveryId: number): Promise<void> {
  for (let after = NIL_UUID; ;) {
    const { rows: wallets } = await pool.query<{ agentId: string; address: string }>({
      name: 'wallet-page',
      text: 'select agent_id as "agentId", address from wallets where agent_id > $1 order by agent_id limit $2',
      values: [after, PAGE_COUNT],
    });
    const isLastPage = wallets.length < PAGE_COUNT;
    await policy.reportWallets({ recoveryId, wallets, isLastPage });
    if (isLastPage) return;
    after = wallets.at(-1)!.agentId;
  }
}
