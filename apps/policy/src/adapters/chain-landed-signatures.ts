import type { SolanaChain } from '@agent-wallet/solana';
import type { LandedSignatures } from '../ports/chain.js';

const PAGE_COUNT = 1_000;
/** Further back is not looked: each signature costs a call. */
const MAX_SIGNATURES = 1_000;

/** What landed, read page by page from the newest on. */
export class ChainLandedSignatures implements LandedSignatures {
  constructor(private readonly chain: Pick<SolanaChain, 'signaturesForAddress'>) {}

  async naming(address: string, { sinceSlot, atSlot }: { sinceSlot: number; atSlot: number }) {
    const found: string[] = [];
    for (;;) {
      const before = found.at(-1);
      const page = await this.chain.signaturesForAddress(address, {
        commitment: 'finalized',
        limit: PAGE_COUNT,
        minContextSlot: atSlot,
        ...(before === undefined ? {} : { before }),
      });
      const recent = page.filter(({ slot }) => slot >= sinceSlot);
      found.push(...recent.map(({ signature }) => signature));
      if (found.length > MAX_SIGNATURES) return undefined;
      if (recent.length < page.length || page.length < PAGE_COUNT) return found;
    }
  }
}
