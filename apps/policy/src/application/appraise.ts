import type { intentV1 } from '@agent-wallet/contracts';
import { isOnCurve } from '@agent-wallet/solana';
import type { Appraisal } from '../ports/ledger.js';
import type { PriceTransfer } from './price-transfer.js';
import { type IntentTerms, readIntent } from './read-intent.js';

/** Reads an intent, and finds what it takes: from the agent, and from the sponsor. */
export class Appraise {
  constructor(
    private readonly pricing: PriceTransfer,
    private readonly terms: IntentTerms,
  ) {}

  /** @throws AppError of `readIntent` and of `PriceTransfer` */
  async execute(intent: intentV1.Intent | undefined): Promise<Appraisal> {
    const { transfer, sponsoredFeeLamports } = readIntent(intent, this.terms);
    // What an unwrap moves stays the agent's own, whatever it is worth.
    if (!transfer)
      return { recipient: undefined, valueUsdMicros: 0n, sponsorship: sponsored(sponsoredFeeLamports, 0n) };
    const { valueUsdMicros, rentLamports } = await this.pricing.execute(transfer);
    const { recipient } = transfer;
    const sponsorship = sponsored(sponsoredFeeLamports, rentLamports);
    return { recipient, recipientIsOffCurve: !isOnCurve(recipient), valueUsdMicros, sponsorship };
  }
}

function sponsored(feeLamports: bigint | undefined, rentLamports: bigint): Appraisal['sponsorship'] {
  if (feeLamports === undefined) return undefined;
  return { lamports: feeLamports + rentLamports, makesAccount: rentLamports > 0n };
}
