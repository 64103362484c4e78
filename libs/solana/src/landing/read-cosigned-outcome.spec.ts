import { describe, expect, it } from '@jest/globals';
import { AppError } from '@agent-wallet/kernel';
import type { AddressSignature, AddressSignaturesPage, Commitment, LandedTransaction } from '../chain/solana-chain.js';
import { JsonRpcError } from '../chain/json-rpc.js';
import { UnreadableTransaction } from '../chain/unreadable-transaction.js';
import { type CosignedTransaction, readCosignedOutcome } from './read-cosigned-outcome.js';

const AWAITED: CosignedTransaction = {
  wallet: 'wallet',
  ownSignature: 'ours',
  sinceSlot: 4_000,
  lastValidBlockHeight: 1_000,
};

interface Entry {
  readonly signature: string;
  readonly slot?: number;
  readonly isOurs?: boolean;
  readonly error?: string;
  readonly isHidden?: boolean;
  readonly refused?: Error;
  readonly commitment?: Commitment;
}

/** A node that lists these transactions, newest first, and writes down what it was asked. */
function nodeThatLists(entries: readonly Entry[], height = 900) {
  const pages: AddressSignaturesPage[] = [];
  const reads: string[] = [];
  const chain = {
    signatureStatus: async () => ({ contextSlot: 5_000, status: null }),
    finalizedHead: async () => ({ slot: 4_950, blockHeight: height, epoch: 1 }),
    signaturesForAddress: async (_: string, page: AddressSignaturesPage): Promise<AddressSignature[]> => {
      pages.push(page);
      const from = page.before === undefined ? 0 : entries.findIndex(({ signature }) => signature === page.before) + 1;
      return entries.slice(from, from + page.limit!).map(({ signature, slot = 4_900, error = null, commitment }) => {
        return { signature, slot, error, blockTimeMs: null, ...(commitment ? { commitment } : {}) };
      });
    },
    transaction: async (signature: string): Promise<LandedTransaction | null> => {
      reads.push(signature);
      const entry = entries.find((each) => each.signature === signature)!;
      if (entry.refused) throw entry.refused;
      if (entry.isHidden) return null;
      return {
        slot: entry.slot ?? 4_900,
        blockTimeMs: null,
        error: entry.error ?? null,
        feeLamports: 5_000n,
        signatures: [signature, ...(entry.isOurs ? ['ours'] : ['theirs'])],
        message: new Uint8Array(),
        addresses: [],
        preBalances: [],
        postBalances: [],
        preTokenBalances: [],
        postTokenBalances: [],
      };
    },
  };
  return { chain, pages, reads };
}

const many = (count: number, slot: number): Entry[] =>
  Array.from({ length: count }, (_, n) => ({ signature: `${slot}-${n}`, slot }));

describe('the outcome of a transaction that a cosigner signs after the wallet', () => {
  it('is landed where our own signature is, under the id of the other', async () => {
    const { chain, pages, reads } = nodeThatLists([{ signature: 'new' }, { signature: 'it', isOurs: true }]);
    expect(await readCosignedOutcome(chain, AWAITED)).toEqual({
      kind: 'landed',
      signature: 'it',
      commitment: 'confirmed',
      slot: 4_900,
      error: null,
    });
    expect(reads).toEqual(['new', 'it']);
    expect(pages).toEqual([{ commitment: 'confirmed', limit: 1_000 }]);
  });

  it('is as sure as the node says, with its error', async () => {
    const error = '{"InstructionError":[0,{"Custom":6001}]}';
    const { chain } = nodeThatLists([{ signature: 'it', isOurs: true, error, commitment: 'finalized' }]);
    expect(await readCosignedOutcome(chain, AWAITED)).toMatchObject({ commitment: 'finalized', error });
  });

  it('is asked by its id first where that is known, and searched for when the id is gone', async () => {
    const { chain, reads } = nodeThatLists([{ signature: 'another', isOurs: true }]);
    const known = { ...AWAITED, signature: 'it' };
    const status = { slot: 4_800, commitment: 'confirmed' as const, error: null };
    const signatureStatus = async () => ({ contextSlot: 5_000, status });
    expect(await readCosignedOutcome({ ...chain, signatureStatus }, known)).toMatchObject({ signature: 'it' });
    expect(reads).toEqual([]);
    expect(await readCosignedOutcome(chain, known)).toMatchObject({ kind: 'landed', signature: 'another' });
    const processed = async () => ({ contextSlot: 5_000, status: { ...status, commitment: 'processed' as const } });
    expect(await readCosignedOutcome({ ...chain, signatureStatus: processed }, known)).toMatchObject({
      signature: 'another',
    });
  });

  it('is asked of the history by its id before anything is searched for past the bound', async () => {
    const { chain, pages } = nodeThatLists([{ signature: 'it', isOurs: true }], 1_001);
    const asked: boolean[] = [];
    const status = { slot: 4_800, commitment: 'finalized' as const, error: null };
    const signatureStatus = async (_: string, { searchHistory }: { readonly searchHistory: boolean }) => {
      asked.push(searchHistory);
      return { contextSlot: 5_000, status: searchHistory ? status : null };
    };
    expect(await readCosignedOutcome({ ...chain, signatureStatus }, { ...AWAITED, signature: 'it' })).toEqual({
      kind: 'landed',
      signature: 'it',
      commitment: 'finalized',
      slot: 4_800,
      error: null,
    });
    expect(asked).toEqual([false, true]);
    expect(pages).toEqual([]);
  });

  it('is open up to the bound, and dead past it when nothing of the list is ours', async () => {
    const others: Entry[] = [
      { signature: 'new' },
      { signature: 'edge', slot: 4_000 },
      { signature: 'old', slot: 3_999 },
    ];
    expect(await readCosignedOutcome(nodeThatLists(others, 1_000).chain, AWAITED)).toEqual({ kind: 'open' });
    const { chain, pages, reads } = nodeThatLists(others, 1_001);
    expect(await readCosignedOutcome(chain, AWAITED)).toEqual({ kind: 'expired' });
    expect(pages).toEqual([{ commitment: 'finalized', minContextSlot: 4_950, limit: 1_000 }]);
    expect(reads).toEqual(['new', 'edge']);
  });

  it('is landed for ever when it is found past the bound', async () => {
    const { chain } = nodeThatLists([{ signature: 'it', isOurs: true }], 1_001);
    expect(await readCosignedOutcome(chain, AWAITED)).toMatchObject({ kind: 'landed', commitment: 'finalized' });
  });

  it('stays open when one of the list cannot be read', async () => {
    const { chain } = nodeThatLists([{ signature: 'x', isHidden: true }, { signature: 'y' }], 1_001);
    expect(await readCosignedOutcome(chain, AWAITED)).toEqual({ kind: 'open' });
  });

  it.each([
    ['an unsupported version', new JsonRpcError(-32015, 'version', undefined), 'expired'],
    ['an undecodable response', new UnreadableTransaction('no meta data', false), 'open'],
  ])('is found behind a transaction of %s', async (_, cause, otherwise) => {
    const refused = new AppError('UPSTREAM_ERROR', { cause });
    const entries: Entry[] = [
      { signature: 'poison', refused },
      { signature: 'it', isOurs: true },
    ];
    expect(await readCosignedOutcome(nodeThatLists(entries).chain, AWAITED)).toMatchObject({ signature: 'it' });
    const past = nodeThatLists(entries.slice(0, 1), 1_001);
    expect(await readCosignedOutcome(past.chain, AWAITED)).toEqual({ kind: otherwise });
  });

  it('is searched for page by page, and each other transaction is read once', async () => {
    const entries = [...many(1_000, 4_900), ...many(500, 4_500), { signature: 'it', slot: 4_400, isOurs: true }];
    const { chain, pages, reads } = nodeThatLists(entries, 1_001);
    const others = new Set<string>();
    expect(await readCosignedOutcome(chain, AWAITED, others)).toMatchObject({ signature: 'it' });
    expect(await readCosignedOutcome(chain, AWAITED, others)).toMatchObject({ signature: 'it' });
    expect(pages.map(({ before }) => before)).toEqual([undefined, '4900-999', undefined, '4900-999']);
    expect(reads).toHaveLength(1_502);
  });

  it('stays open when there is more than can be looked through', async () => {
    expect(await readCosignedOutcome(nodeThatLists(many(10_001, 4_900), 1_001).chain, AWAITED)).toEqual({
      kind: 'open',
    });
  });

  it('is unknown while the node fails', async () => {
    const { chain } = nodeThatLists([], 1_001);
    const signaturesForAddress = () => Promise.reject(new AppError('UPSTREAM_ERROR'));
    await expect(readCosignedOutcome({ ...chain, signaturesForAddress }, AWAITED)).rejects.toMatchObject({
      code: 'UPSTREAM_ERROR',
    });
  });
});
