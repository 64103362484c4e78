import { describe, expect, it } from '@jest/globals';
import { AppError } from '@agent-wallet/kernel';
import type { ChainHead, SignatureStatus, SignatureStatusAtSlot } from '../chain/solana-chain.js';
import { readOutcome } from './read-outcome.js';

const AWAITED = { signature: 'sig', lastValidBlockHeight: 1_000 };
const NOTHING: SignatureStatusAtSlot = { contextSlot: 5_000, status: null };

const landed = (status: Partial<SignatureStatus>): SignatureStatusAtSlot => ({
  contextSlot: 5_000,
  status: { slot: 4_900, commitment: 'confirmed', error: null, ...status },
});
const head = (blockHeight: number, slot = 4_950): ChainHead => ({ slot, blockHeight, epoch: 1 });

/** A node that answers by a script and writes down in which order it was asked. */
function scriptedChain(script: { recent?: SignatureStatusAtSlot; head?: ChainHead; searched?: SignatureStatusAtSlot }) {
  const asked: string[] = [];
  const answer = async <Answer>(question: string, value: Answer | undefined): Promise<Answer> => {
    asked.push(question);
    if (value === undefined) throw new AppError('UPSTREAM_ERROR');
    return value;
  };
  return {
    asked,
    signatureStatus: (_: string, { searchHistory }: { searchHistory: boolean }) =>
      searchHistory ? answer('searched', script.searched) : answer('recent', script.recent),
    finalizedHead: () => answer('head', script.head),
  };
}

describe('the outcome of a transaction', () => {
  it.each(['confirmed', 'finalized'] as const)('is landed when its block is %s', async (commitment) => {
    const chain = scriptedChain({ recent: landed({ commitment }) });
    await expect(readOutcome(chain, AWAITED)).resolves.toEqual({
      kind: 'landed',
      commitment,
      slot: 4_900,
      error: null,
    });
    expect(chain.asked).toEqual(['recent']);
  });

  it('is landed with an error when the chain charged the fee and nothing else', async () => {
    const error = '{"InstructionError":[0,{"Custom":1}]}';
    const chain = scriptedChain({ recent: landed({ error }) });
    await expect(readOutcome(chain, AWAITED)).resolves.toMatchObject({ kind: 'landed', error });
  });

  it('is open while its block is only processed, an error or not', async () => {
    for (const error of [null, '"AccountNotFound"']) {
      const chain = scriptedChain({ recent: landed({ commitment: 'processed', error }), head: head(9_999) });
      await expect(readOutcome(chain, AWAITED)).resolves.toEqual({ kind: 'open' });
    }
  });

  it('is open at the last valid height and dead one block above it', async () => {
    const at = scriptedChain({ recent: NOTHING, head: head(1_000), searched: NOTHING });
    await expect(readOutcome(at, AWAITED)).resolves.toEqual({ kind: 'open' });
    expect(at.asked).toEqual(['recent', 'head']);
    const above = scriptedChain({ recent: NOTHING, head: head(1_001), searched: NOTHING });
    await expect(readOutcome(above, AWAITED)).resolves.toEqual({ kind: 'expired' });
  });

  it('is dead only by a search of the history that was asked for after the height was read', async () => {
    const chain = scriptedChain({ recent: NOTHING, head: head(1_001), searched: NOTHING });
    await readOutcome(chain, AWAITED);
    expect(chain.asked).toEqual(['recent', 'head', 'searched']);
  });

  it('is open when the node that searched has not seen the block of that height, dead when it has', async () => {
    const searchedAt = (contextSlot: number) =>
      scriptedChain({ recent: NOTHING, head: head(1_001, 4_950), searched: { contextSlot, status: null } });
    await expect(readOutcome(searchedAt(4_949), AWAITED)).resolves.toEqual({ kind: 'open' });
    await expect(readOutcome(searchedAt(4_950), AWAITED)).resolves.toEqual({ kind: 'expired' });
  });

  it('is landed when only the search knows it, however late', async () => {
    const chain = scriptedChain({ recent: NOTHING, head: head(9_999), searched: landed({ commitment: 'finalized' }) });
    await expect(readOutcome(chain, AWAITED)).resolves.toMatchObject({ kind: 'landed', commitment: 'finalized' });
  });

  it('is open when the search finds it in a block that is only processed', async () => {
    const chain = scriptedChain({ recent: NOTHING, head: head(9_999), searched: landed({ commitment: 'processed' }) });
    await expect(readOutcome(chain, AWAITED)).resolves.toEqual({ kind: 'open' });
  });

  it.each([
    ['no status', {}],
    ['no height', { recent: NOTHING }],
    ['no search', { recent: NOTHING, head: head(9_999) }],
  ])('is an error, which proves nothing, when the node gives %s', async (_, script) => {
    await expect(readOutcome(scriptedChain(script), AWAITED)).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' });
  });
});
