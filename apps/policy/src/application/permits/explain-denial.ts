import type { intentV1 } from '@agent-wallet/contracts';
import type { AppError, Clock } from '@agent-wallet/kernel';
import { type Decision, isObstacle } from '../../domain/decision.js';
import { refusalOf } from '../../domain/refusal.js';
import type { ChainLag } from '../pricing/chain-lag.js';
import type { PolicyChain } from '../../ports/chain.js';
import type { PricedIntent } from '../../ports/reservation-store.js';

/** The calls for look-ups are those of a minute. */
const LOOK_UP_AGAIN_MS = 60_000;

/** Explains decisions that grant nothing. */
export class ExplainDenial {
  constructor(
    private readonly chain: Pick<PolicyChain, 'accounts' | 'rentExemptMinimumLamports'>,
    private readonly chainLag: Pick<ChainLag, 'lagMs'>,
    private readonly clock: Clock,
  ) {}

  /** @throws AppError UPSTREAM_ERROR and UPSTREAM_TIMEOUT when it takes the chain to explain */
  async execute(decision: Decision, intent: intentV1.Intent, priced: PricedIntent): Promise<AppError> {
    const { kind, spent, sponsorship, trade, isVerificationUnknown = false } = priced;
    if (!isObstacle(decision.verdict) || !sponsorship) {
      const lookUpAgainAtMs = isVerificationUnknown ? this.clock.nowMs() + LOOK_UP_AGAIN_MS : undefined;
      return refusalOf(decision, { kind, spent, trade, chainLagMs: this.chainLag.lagMs, lookUpAgainAtMs });
    }
    const missingLamports = await this.#missingLamports(intent, sponsorship.lamports);
    return refusalOf(decision, { missingLamports, rentUsdMicros: sponsorship.account?.rentUsdMicros });
  }

  /** Returns the lamports that the wallet lacks to pay for itself and keep its own account; at least 1. */
  async #missingLamports({ wallet, action }: intentV1.Intent, sponsoredLamports: bigint): Promise<bigint> {
    const [{ accounts }, keptLamports] = await Promise.all([
      this.chain.accounts([wallet]),
      this.chain.rentExemptMinimumLamports(0),
    ]);
    const native = action?.$case === 'transfer' && action.value.mint === '' ? action.value : undefined;
    const sentLamports = native ? native.amount + (native.fee ?? 0n) : 0n;
    const missing = sponsoredLamports + sentLamports + keptLamports - (accounts[0]?.lamports ?? 0n);
    return missing > 1n ? missing : 1n;
  }
}
