import type { AddressSignature, AddressSignaturesPage, SignatureStatus } from '@agent-wallet/solana';
import { describe, expect, it } from '@jest/globals';
import { listUnread } from '../../src/application/deposits/list-unread.js';
import { wasRolledBack } from '../../src/application/deposits/was-rolled-back.js';

const entry = (slot: number, signature = `s${slot}`): AddressSignature => ({
  signature,
  slot,
  error: null,
  blockTimeMs: null,
  commitment: 'finalized',
});

/** A node that has these, newest first, and the pages that were asked for. */
function nodeWith(entries: readonly AddressSignature[]) {
  const pages: AddressSignaturesPage[] = [];
  const signaturesForAddress = async (_: string, page: AddressSignaturesPage) => {
    pages.push(page);
    const after = page.before ? entries.findIndex(({ signature }) => signature === page.before) + 1 : 0;
    const end = entries.findIndex(({ signature }) => signature === page.until);
    return entries.slice(after, end < 0 ? undefined : end).slice(0, page.limit);
  };
  return { pages, signaturesForAddress };
}

describe('that a transaction was undone', () => {
  const seen = { signature: 'lost', account: 'a', slot: 100 };
  const status: SignatureStatus = { slot: 100, commitment: 'confirmed', error: null };
  const decided = { finalizedSlot: 101, contextSlot: 140, status: null as SignatureStatus | null, list: [entry(99)] };

  const askOf = async (over: Partial<typeof decided>) => {
    const { finalizedSlot, contextSlot, status: known, list } = { ...decided, ...over };
    const { pages, signaturesForAddress } = nodeWith(list);
    const chain = {
      finalizedHead: async () => ({ slot: finalizedSlot, blockHeight: 1, epoch: 1 }),
      signatureStatus: async () => ({ contextSlot, status: known }),
      signaturesForAddress,
    };
    return { isUndone: await wasRolledBack(chain, seen), pages };
  };

  it('is proven by a finalized block beyond it, a search and the list of a node that finalized that block', async () => {
    const { isUndone, pages } = await askOf({});
    expect(isUndone).toBe(true);
    expect(pages).toEqual([{ commitment: 'finalized', limit: 1_000, minContextSlot: 101 }]);
  });

  it.each<[string, Partial<typeof decided>]>([
    ['its slot is not decided', { finalizedSlot: 100 }],
    ['the node that searched lags behind the finalized block', { contextSlot: 100 }],
    ['the search finds it', { status }],
    ['the search finds it on its way again', { status: { ...status, commitment: 'processed' } }],
    ['the list of the account names it', { list: [entry(120), entry(100, 'lost'), entry(99)] }],
    [
      'it is on a later page of the list',
      { list: [...Array.from({ length: 1_000 }, (_, i) => entry(2_000 - i)), entry(100, 'lost')] },
    ],
    ['the list is too long to be read', { list: Array.from({ length: 30_000 }, (_, i) => entry(40_000 - i)) }],
  ])('is not proven when %s', async (_, over) => {
    expect((await askOf(over)).isUndone).toBe(false);
  });
});

describe('listing what is unread', () => {
  const account = {
    address: 'a',
    wallet: 'a',
    balanceSlot: 0,
    previousSlot: 0,
    cursorSignature: 's10',
    cursorSlot: 10,
    failures: 0,
    readBeyond: [],
  };

  it('begins behind the cursor, the oldest first, at a node that has seen what was seen before', async () => {
    const node = nodeWith([entry(14), entry(12), entry(10), entry(8)]);
    const { entries } = await listUnread(node, { ...account, balanceSlot: 13 });
    expect(entries.map(({ slot }) => slot)).toEqual([12, 14]);
    expect(node.pages).toEqual([{ commitment: 'confirmed', limit: 1_000, minContextSlot: 13, until: 's10' }]);
  });

  it('goes on over pages, each of a node that knows the page before', async () => {
    const node = nodeWith(Array.from({ length: 2_500 }, (_, i) => entry(3_000 - i)));
    const { entries } = await listUnread(node, { ...account, cursorSignature: 's900', cursorSlot: 900 });
    expect(entries.map(({ slot }) => slot)).toEqual(Array.from({ length: 2_100 }, (_, i) => 901 + i));
    expect(node.pages.map(({ minContextSlot }) => minContextSlot)).toEqual([900, 3_000, 3_000]);
  });

  it('stops at the slot of a cursor that the node has forgotten', async () => {
    const node = nodeWith([entry(12), entry(10, 'another of that slot'), entry(9)]);
    const { entries } = await listUnread(node, account);
    expect(entries.map(({ slot }) => slot)).toEqual([10, 12]);
  });

  it('keeps the oldest of a list that is too long for the cursor, and the newest page apart', async () => {
    const node = nodeWith(Array.from({ length: 12_000 }, (_, i) => entry(20_000 - i)));
    const { entries, newest } = await listUnread(node, { ...account, cursorSignature: null, cursorSlot: 0 });
    expect([entries.length, entries[0]!.slot, entries.at(-1)!.slot]).toEqual([10_000, 8_001, 18_000]);
    expect([newest.length, newest[0]!.slot, newest.at(-1)!.slot]).toEqual([1_000, 19_001, 20_000]);
  });

  it('does not end before the change that a balance has shown, until that may never come', async () => {
    const node = nodeWith([entry(12), entry(10)]);
    const changed = { ...account, previousSlot: 12, balanceSlot: 15 };
    await expect(listUnread(node, changed)).rejects.toThrow('before the change');
    const { entries } = await listUnread(node, { ...changed, previousSlot: 11 });
    expect(entries).toHaveLength(1);
    await expect(listUnread(node, { ...changed, failures: 5 })).resolves.toHaveProperty('entries.length', 1);
  });
});
