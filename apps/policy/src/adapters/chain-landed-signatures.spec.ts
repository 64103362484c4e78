import type { AddressSignaturesPage } from '@agent-wallet/solana';
import { describe, expect, it } from '@jest/globals';
import { ChainLandedSignatures } from './chain-landed-signatures.js';

const WALLET = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';

/** A chain on which one transaction of the wallet landed in every slot from 1 to `count`. */
function chainOf(count: number) {
  const pages: AddressSignaturesPage[] = [];
  const signaturesForAddress = async (_: string, page: AddressSignaturesPage) => {
    pages.push(page);
    const newest = page.before === undefined ? count : Number(page.before) - 1;
    return Array.from({ length: Math.min(page.limit ?? 1_000, newest) }, (_, n) => {
      const slot = newest - n;
      return { signature: String(slot), slot, error: null, blockTimeMs: null };
    });
  };
  return { pages, landed: new ChainLandedSignatures({ signaturesForAddress }) };
}

describe('what landed', () => {
  it('is listed newest first, from the given slot on, by a node that has finalized the other one', async () => {
    const { landed, pages } = chainOf(5);
    expect(await landed.naming(WALLET, { sinceSlot: 3, untilSlot: Infinity, atSlot: 9 })).toEqual(['5', '4', '3']);
    expect(await landed.naming(WALLET, { sinceSlot: 3, untilSlot: 4, atSlot: 9 })).toEqual(['4', '3']);
    pages.pop();
    expect(pages).toEqual([{ commitment: 'finalized', limit: 1_000, minContextSlot: 9 }]);
  });

  it('goes on behind the last signature of a full page', async () => {
    const { landed, pages } = chainOf(1_000);
    expect(await landed.naming(WALLET, { sinceSlot: 0, untilSlot: Infinity, atSlot: 1_000 })).toHaveLength(1_000);
    expect(pages.map(({ before }) => before)).toEqual([undefined, '1']);
  });

  it('is not known when it is too much to look through', async () => {
    const { landed } = chainOf(10_500);
    const slots = { untilSlot: Infinity, atSlot: 10_500 };
    expect(await landed.naming(WALLET, { sinceSlot: 501, ...slots })).toHaveLength(10_000);
    expect(await landed.naming(WALLET, { sinceSlot: 500, ...slots })).toBeUndefined();
  });

  it('is found regardless of how much has landed since', async () => {
    const { landed } = chainOf(30_000);
    expect(await landed.naming(WALLET, { sinceSlot: 7, untilSlot: 8, atSlot: 30_000 })).toEqual(['8', '7']);
  });

  it('is not known from a node that has no end', async () => {
    const { landed, pages } = chainOf(2_000_000);
    expect(await landed.naming(WALLET, { sinceSlot: 7, untilSlot: 8, atSlot: 2_000_000 })).toBeUndefined();
    expect(pages).toHaveLength(1_000);
  });
});
