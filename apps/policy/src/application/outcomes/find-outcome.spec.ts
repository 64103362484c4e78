import { AppError, newId } from '@agent-wallet/kernel';
import { expect, it } from '@jest/globals';
import type { Attempt } from '../../domain/attempt.js';
import type { PolicyChain } from '../../ports/chain.js';
import { FindOutcome } from './find-outcome.js';

const SLOT = 5_000;
const SIGNATURE = new Uint8Array(64).fill(1);

const ATTEMPT: Attempt = {
  operationId: newId(),
  step: 1,
  attempt: 1,
  agentId: newId(),
  namedAddress: '',
  recipient: undefined,
  countsWhenFinal: false,
  addition: undefined,
  isCosigned: false,
  messageHash: new Uint8Array(32),
  reservedUsdMicros: 1n,
  state: 'open',
  evidence: undefined,
  ageMs: 60_000,
  laterHeight: 1_000,
};

/** Of a transaction that failed in a block that is not final yet. */
function findingWhere(finalizedHead: () => Promise<{ slot: number; blockHeight: number }>) {
  const status = { commitment: 'confirmed', slot: SLOT, error: '{}' } as const;
  const chain = { signatureStatus: async () => ({ contextSlot: SLOT, status }), finalizedHead };
  const unused = {} as never;
  const tools = { landed: unused, heads: unused, clock: { nowMs: () => 0 }, marginBlocks: 64 };
  return new FindOutcome({ ...tools, chain: chain as unknown as PolicyChain }).execute(ATTEMPT, SIGNATURE);
}

it.each([
  ['five slots before its block is final', SLOT - 5, 2_000],
  ['one slot before, but not sooner than a second', SLOT - 1, 1_000],
])('an open attempt has a time for the next check %s', async (_, slot, provableInMs) => {
  expect(await findingWhere(async () => ({ slot, blockHeight: 1 }))).toEqual({ state: 'open', provableInMs });
});

it.each([SLOT, SLOT + 1])(
  'an open attempt has no time for the next check when the proof is overdue at slot %i',
  async (slot) => {
    expect(await findingWhere(async () => ({ slot, blockHeight: 1 }))).toEqual({ state: 'open' });
  },
);

it('an attempt is open where the head cannot be read', async () => {
  const finding = findingWhere(() => Promise.reject(new AppError('UPSTREAM_ERROR')));
  expect(await finding).toEqual({ state: 'open' });
});
