import type { SolanaChain } from '@agent-wallet/solana';
import type { LandedSignatures } from '../ports/chain.js';

const PAGE_COUNT = 1_000;
/** More than these are not looked through: each costs a call. */
const MAX_SIGNATURES = 10_000;
/** Further back is not looked: each page costs a call. */
const MAX_PAGES = 1_000;

/** Signatures that landed, read page by page from the newest on. */
export class ChainLandedSignatures implements LandedSignatures {
  constructor(private readonly chain: Pick<SolanaChain, 'signaturesForAddress'>) {}

  async naming(
    address: string,
    { sinceSlot, untilSlot, atSlot }: { sinceSlot: number; untilSlot: number; atSlot: number },
  ) {
    const found: string[] = [];
    let before: string | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const page = await this.chain.signaturesForAddress(address, {
        commitment: 'finalized',
        limit: PAGE_COUNT,
        minContextSlot: atSlot,
        ...(before === undefined ? {} : { before }),
      });
      const recent = page.filter(({ slot }) => slot >= sinceSlot);
      // Strangers can land as much as they like afterwards: it is passed over, and counts for nothing.
      found.push(...recent.filter(({ slot }) => slot <= untilSlot).map(({ signature }) => signature));
      if (found.length > MAX_SIGNATURES) return undefined;
      if (recent.length < page.length || page.length < PAGE_COUNT) return found;
      before = page.at(-1)!.signature;
    }
    return undefined;
  }
}
